/** History: matches of a subscription over time, and replay from a chosen moment. */

import { useState } from "preact/hooks";

import type { MatchHistory, Standing } from "../answers";
import { get, post, segment } from "../api";
import { Answered, Confirm, Empty, Panel, Screen, SearchField } from "../parts/basics";
import { go, problemText, say, useAnswer, usePlace } from "../state";
import { moment, words } from "../words";

const text = words.history;
const BINS = 80;
const LISTED = 30;

export function History() {
  const { parameters } = usePlace();
  const [search, setSearch] = useState("");
  const list = useAnswer((signal) => get<{ subscriptions: Standing[] }>("/subscriptions", { search, limit: LISTED }, signal), [search]);
  const subscriptions = list.found?.subscriptions ?? [];
  const name = parameters.get("name") ?? subscriptions[0]?.id ?? null;
  const owner = parameters.get("owner") ?? subscriptions[0]?.owner ?? "";
  return (
    <Screen title={words.screens.history} about={text.about} actions={<SearchField hint={words.lists.searchHint} value={search} onChange={setSearch} />}>
      <div class="columns history">
        <Panel title={text.choose}>
          <Answered of={list}>
            {() =>
              subscriptions.length ? (
                <ul class="choices stacked">
                  {subscriptions.map((one) => (
                    <li>
                      <button aria-pressed={one.id === name && one.owner === owner} onClick={() => go("history", { name: one.id, owner: one.owner })}>
                        {one.id}
                        <span class="muted">{one.owner}</span>
                      </button>
                    </li>
                  ))}
                </ul>
              ) : (
                <Empty>{search ? words.lists.nothingFound : text.noneThere}</Empty>
              )
            }
          </Answered>
        </Panel>
        {name ? <Matches key={`${owner} ${name}`} name={name} owner={owner} /> : <Empty>{text.chooseNone}</Empty>}
      </div>
    </Screen>
  );
}

function Matches(props: { name: string; owner: string }) {
  const { name, owner } = props;
  const path = `/subscriptions/${segment(name)}`;
  const history = useAnswer((signal) => get<MatchHistory>(`${path}/history`, { owner, bins: BINS }, signal), [path, owner]);
  const [chosen, setChosen] = useState(0);
  const [isReplaying, setReplaying] = useState(false);
  const replay = async (position: number) => {
    try {
      await post(`${path}/reset`, { owner, start: position }, "", "text/plain");
      say(text.replayed(position));
    } catch (error) {
      say(problemText(error));
    }
  };
  return (
    <Panel title={name}>
      <Answered of={history}>
        {(found) => {
          const bin = found.bins[chosen];
          if (!bin) return <Empty>{text.noEvents}</Empty>;
          const words = text.bin(moment(bin.time), bin.matches, bin.events, bin.position);
          return (
            <>
              <p>{text.summary(found.matches, found.events, moment(found.bins[0]!.time), moment(found.bins.at(-1)!.time + found.seconds))}</p>
              {found.floor > 0 && <p class="muted">{text.removed(found.floor)}</p>}
              <Bars history={found} chosen={chosen} label={text.chart(name, found.matches, found.events)} onChoose={setChosen} />
              <label class="moment">
                {text.at}
                <input type="range" min={0} max={found.bins.length - 1} value={chosen} aria-valuetext={words} onInput={(event) => setChosen(event.currentTarget.valueAsNumber)} />
              </label>
              <p role="status">{words}</p>
              <div class="actions">
                <button class="primary" onClick={() => setReplaying(true)}>
                  {text.replay}
                </button>
              </div>
              {isReplaying && (
                <Confirm
                  title={text.replayTitle(bin.position)}
                  about={text.replayAbout}
                  action={text.replay}
                  onDone={() => void replay(bin.position)}
                  onClose={() => setReplaying(false)}
                />
              )}
            </>
          );
        }}
      </Answered>
    </Panel>
  );
}

/** Events in the back, matches before them. The slider below says the same to keys and screen readers. */
function Bars(props: { history: MatchHistory; chosen: number; label: string; onChoose: (bin: number) => void }) {
  const { bins } = props.history;
  const [width, height] = [1000, 260];
  const most = Math.max(1, ...bins.map((bin) => bin.events));
  const step = width / bins.length;
  const bar = (count: number, place: number, name: string) => {
    const size = count === 0 ? 0 : Math.max(2, (count / most) * (height - 10));
    return <rect class={name} x={place * step + step * 0.1} width={step * 0.8} y={height - size} height={size} />;
  };
  return (
    <figure class="chart">
      <figcaption>
        <span class="legend">
          <i class="dot c-notifications" aria-hidden="true" /> {text.matches}
        </span>
        <span class="legend">
          <i class="dot c-quiet" aria-hidden="true" /> {text.events}
        </span>
      </figcaption>
      <svg class="bars" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={props.label}>
        {bins.map((bin, place) => (
          <g class={place === props.chosen ? "chosen" : ""} onClick={() => props.onChoose(place)}>
            <rect class="hit" x={place * step} width={step} y={0} height={height} />
            {bar(bin.events, place, "all")}
            {bar(bin.matches, place, "matching")}
          </g>
        ))}
      </svg>
      <p class="ends muted">
        <time>{moment(bins[0]!.time)}</time>
        <time>{moment(bins.at(-1)!.time + props.history.seconds)}</time>
      </p>
    </figure>
  );
}
