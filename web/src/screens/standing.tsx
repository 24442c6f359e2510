/** Subscriptions and views: pages of a list that may be long, and one of them in detail. */

import { useState } from "preact/hooks";

import type { Explanation, Standing } from "../answers";
import { act, get, segment } from "../api";
import { Answered, Badge, Confirm, Empty, Facts, Pager, Panel, Screen, SearchField } from "../parts/basics";
import { figures, go, me, problemText, say, useAnswer, usePlace } from "../state";
import { bytes, number, span, words } from "../words";
import { unsubscribe } from "./try";

const text = words.lists;
const PAGE = 50;
const REFRESH = 3_000;
type Kind = "subscriptions" | "views";

export const SubscriptionList = () => <StandingList kind="subscriptions" />;
export const ViewList = () => <StandingList kind="views" />;

function StandingList(props: { kind: Kind }) {
  const { kind } = props;
  const { parameters } = usePlace();
  const [search, setSearch] = useState(parameters.get("search") ?? "");
  const [offset, setOffset] = useState(0);
  const list = useAnswer(
    (signal) => get<{ subscriptions?: Standing[]; views?: Standing[]; total: number }>(`/${kind}`, { search, offset, limit: PAGE }, signal),
    [kind, search, offset],
    REFRESH,
  );
  const name = parameters.get("name");
  const owner = parameters.get("owner");
  const items = list.found?.[kind] ?? [];
  return (
    <Screen
      title={words.screens[kind]}
      about={text[kind]}
      actions={<SearchField hint={text.searchHint} value={search} onChange={(words) => (setSearch(words), setOffset(0))} />}
    >
      <div class={name ? "columns detail" : ""}>
        <Panel title={words.screens[kind]} aside={list.found && <Pager offset={offset} limit={PAGE} total={list.found.total} onMove={setOffset} />}>
          <Answered of={list}>
            {() => (items.length ? <Rows kind={kind} items={items} chosen={name} /> : <Empty>{search ? text.nothingFound : text.empty[kind]}</Empty>)}
          </Answered>
        </Panel>
        {name && owner && <Detail key={`${owner} ${name}`} kind={kind} name={name} owner={owner} onChange={list.again} />}
      </div>
    </Screen>
  );
}

function Rows(props: { kind: Kind; items: Standing[]; chosen: string | null }) {
  const isAdmin = me.use()!.is_admin;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={words.screens[props.kind]}>
      <table>
        <thead>
          <tr>
            <th scope="col">{text.name}</th>
            {isAdmin && (
              <th scope="col" class="wide">
                {text.owner}
              </th>
            )}
            <th scope="col">{text.state}</th>
            <th scope="col" class="number">
              {text.lag}
            </th>
            <th scope="col" class="number wide">
              {text.waiting}
            </th>
            <th scope="col" class="number wide" title={text.sinceStart}>
              {text.matched}
            </th>
            <th scope="col" class="number wide" title={text.sinceStart}>
              {text.delivered}
            </th>
            <th scope="col" class="wide">
              {text.delivery}
            </th>
            <th scope="col" class="widest">
              {text.text}
            </th>
          </tr>
        </thead>
        <tbody>
          {props.items.map((item) => (
            <tr key={`${item.owner} ${item.id}`} class={item.id === props.chosen ? "chosen" : ""}>
              <th scope="row">
                <a href={`#/${props.kind}?${new URLSearchParams({ name: item.id, owner: item.owner })}`} aria-label={text.open(item.id)}>
                  {item.id}
                </a>
              </th>
              {isAdmin && <td class="wide muted clip">{item.owner}</td>}
              <td>
                <State item={item} />
              </td>
              <td class="number">{lag(item)}</td>
              <td class="number wide">{item.waiting_bytes ? bytes(item.waiting_bytes) : "–"}</td>
              <td class="number wide">{number(item.matched)}</td>
              <td class="number wide">{number(item.delivered)}</td>
              <td class="wide">{item.delivery}</td>
              <td class="widest mono clip">{item.text.replace(/PREFIX\s+\S+\s+\S+/gi, "").trim()}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function lag(item: Standing): string {
  return item.waiting_bytes > 0 && item.latest > item.acknowledged ? text.behind(item.latest - item.acknowledged) : text.caughtUp;
}

function State(props: { item: Standing }) {
  const { item } = props;
  const tone = item.state === "live" ? "good" : item.state === "quarantined" ? "bad" : "warn";
  return (
    <>
      <Badge tone={tone}>{item.state}</Badge> {item.paused && <Badge tone="warn">{text.paused}</Badge>}{" "}
      {item.unindexed && <Badge tone="warn">{text.unindexed}</Badge>}
    </>
  );
}

function Detail(props: { kind: Kind; name: string; owner: string; onChange: () => void }) {
  const { kind, name, owner } = props;
  const path = `/${kind}/${segment(name)}`;
  const item = useAnswer((signal) => get<Standing>(path, { owner }, signal), [path, owner], REFRESH);
  const [isRemoving, setRemoving] = useState(false);
  const done = async (work: Promise<void>, then: () => void = item.again) => {
    try {
      await work;
      then();
      props.onChange();
    } catch (error) {
      say(problemText(error));
    }
  };
  return (
    <Panel
      title={text.details(name)}
      class="detail-panel"
      aside={
        <button class="quiet" aria-label={words.close} onClick={() => go(kind)}>
          ✕
        </button>
      }
    >
      <Answered of={item}>
        {(found) => (
          <>
            <p>
              <State item={found} />
            </p>
            {found.reason && (
              <p class="notice bad">
                <b>{text.quarantined}:</b> {found.reason}
              </p>
            )}
            <pre class="query">{found.text}</pre>
            <Facts facts={factsOf(found)} />
            <Explained kind={kind} name={name} owner={owner} />
            <div class="actions">
              <button onClick={() => done(act("POST", `${path}/${found.paused ? "resume" : "pause"}`, { owner }))}>{found.paused ? text.resume : text.pause}</button>
              {kind === "subscriptions" && <button onClick={() => go("history", { name, owner })}>{text.history}</button>}
              <button class="danger" onClick={() => setRemoving(true)}>
                {text.remove}
              </button>
            </div>
            {isRemoving && (
              <Confirm
                title={text.removeTitle(name)}
                about={text.removeAbout}
                action={text.remove}
                onDone={() => void done(unsubscribe(kind, name, owner), () => go(kind))}
                onClose={() => setRemoving(false)}
              />
            )}
          </>
        )}
      </Answered>
    </Panel>
  );
}

function factsOf(item: Standing): [string, string][] {
  const head = figures.value?.head ?? item.latest;
  return [
    [text.owner, item.owner],
    [text.cursor, `${number(item.acknowledged)} / ${number(Math.max(head, item.latest))}`],
    [text.lag, lag(item)],
    [text.waiting, bytes(item.waiting_bytes)],
    [text.latest, number(item.latest)],
    [text.created, number(item.created)],
    [`${text.matched}, ${text.sinceStart}`, number(item.matched)],
    [`${text.delivered}, ${text.sinceStart}`, number(item.delivered)],
    [text.delivery, item.delivery],
    ...(item.callback ? [[text.callback, item.callback] as [string, string]] : []),
    [text.retention, item.retention === null ? text.everything : span(item.retention)],
  ];
}

function Explained(props: { kind: Kind; name: string; owner: string }) {
  const { kind, name, owner } = props;
  const answer = useAnswer<Explanation | { text: string }>(
    (signal) =>
      kind === "views"
        ? get<{ text: string }>(`/views/${segment(name)}/explain`, { owner }, signal)
        : get<Explanation>("/explain", { subscription: name, owner }, signal),
    [kind, name, owner],
  );
  return (
    <details class="explained">
      <summary>{kind === "views" ? text.kept : text.explain}</summary>
      <Answered of={answer}>
        {(found) =>
          "lane" in found ? (
            <>
              <p>
                <Badge tone={found.lane === "fast" ? "good" : "calm"}>{words.try.lane[found.lane]}</Badge>{" "}
                {found.unindexed && <Badge tone="warn">{words.try.unindexed}</Badge>}
              </p>
              <h3>{text.patterns}</h3>
              <ul class="plain mono">
                {found.requires.map((line) => (
                  <li>{line}</li>
                ))}
              </ul>
            </>
          ) : (
            <pre class="query">{found.text}</pre>
          )
        }
      </Answered>
    </details>
  );
}
