/** Rules: who triggers whom, what the check says, and what rules did. */

import { useState } from "preact/hooks";

import type { ChangePage, Firing, Rule, RuleAnalysis, TracedSchedule } from "../answers";
import { Problem, act, get, post, segment } from "../api";
import { Answered, Badge, Confirm, Empty, Pager, Panel, Screen, SearchField } from "../parts/basics";
import { Editor, type Mistake } from "../parts/editor";
import { FiringTree } from "../parts/firingtree";
import { languages } from "../parts/languages";
import { RuleGraph } from "../parts/rulegraph";
import { problemText, say, useAnswer, vocabulary } from "../state";
import { shortText, type Prefixes } from "../turtle";
import { moment, number, words } from "../words";

const text = words.rules;
const PAGE = 25;
const CHANGES = 12;
const SHOWN_ARCS = 60;
const DRAFT = `USING NAMESPACE ex http://example.org/
RULE my_rule
ON INSERT resource() AS INSTANCE OF ex:Book
IF True
DO INSERT ($delta, ex:status, 'new');;
`;

export function Rules() {
  const [search, setSearch] = useState("");
  const [offset, setOffset] = useState(0);
  const [chosen, setChosen] = useState<string | null>(null);
  const [schedule, setSchedule] = useState<number | null>(null);
  const [draft, setDraft] = useState<RuleAnalysis | null>(null);
  const analysis = useAnswer((signal) => get<RuleAnalysis>("/analysis", {}, signal), []);
  const list = useAnswer((signal) => get<{ rules: Rule[]; total: number }>("/rules", { search, offset, limit: PAGE }, signal), [search, offset]);
  const seen = vocabulary.use();
  const prefixes = prefixesOf(list.found?.rules ?? [], seen.prefixes);
  const changed = () => (list.again(), analysis.again());
  return (
    <Screen
      title={words.screens.rules}
      about={text.about}
      actions={<SearchField hint={words.lists.searchHint} value={search} onChange={(words) => (setSearch(words), setOffset(0))} />}
    >
      <div class="columns even">
        <div class="stack">
          <Panel title={text.graph}>
            <Answered of={draft ? { ...analysis, found: draft } : analysis}>{(found) => <Graph analysis={found} prefixes={prefixes} chosen={chosen} onChoose={setChosen} />}</Answered>
          </Panel>
          <Panel title={text.list} aside={list.found && <Pager offset={offset} limit={PAGE} total={list.found.total} onMove={setOffset} />}>
            <Answered of={list}>
              {(found) =>
                found.rules.length ? (
                  <ul class="rule-list">
                    {found.rules.map((rule) => (
                      <RuleItem key={rule.id} rule={rule} isOpen={rule.id === chosen} onOpen={setChosen} onTree={setSchedule} onChange={changed} />
                    ))}
                  </ul>
                ) : (
                  <Empty>{search ? words.lists.nothingFound : text.none}</Empty>
                )
              }
            </Answered>
          </Panel>
        </div>
        <div class="stack">
          {schedule !== null && <Tree position={schedule} onClose={() => setSchedule(null)} />}
          <Panel title={text.findings}>
            <Answered of={draft ? { ...analysis, found: draft } : analysis}>{(found) => <Findings analysis={found} prefixes={prefixes} chosen={chosen} />}</Answered>
          </Panel>
          <Draft onChecked={setDraft} />
          <Changes onTree={setSchedule} />
        </div>
      </div>
    </Screen>
  );
}

/** Prefixes that the rules themselves declare, besides those of events. */
function prefixesOf(rules: Rule[], known: Prefixes): Prefixes {
  const declared = rules.flatMap(({ text }) => [...text.matchAll(/USING\s+NAMESPACE\s+(\S+)\s+<?([^\s>]+)>?/g)]);
  return { ...known, ...Object.fromEntries(declared.map(([, prefix, iri]) => [prefix!, iri!])) };
}

function Graph(props: { analysis: RuleAnalysis; prefixes: Prefixes; chosen: string | null; onChoose: (rule: string | null) => void }) {
  const { analysis, chosen, prefixes } = props;
  const count = analysis.layers.flat().length;
  if (count === 0) return <Empty>{text.none}</Empty>;
  const arcs = analysis.arcs.filter((arc) => !chosen || arc.rule === chosen || arc.triggers === chosen);
  return (
    <>
      <p class="muted">{analysis.kind === "no schema" ? text.noSchema : text.graphAbout(count, analysis.arcs.length)}</p>
      <RuleGraph analysis={analysis} chosen={chosen} onChoose={(rule) => props.onChoose(rule === chosen ? null : rule)} />
      {arcs.length > 0 && (
        <details>
          <summary>{text.arcs}</summary>
          <ul class="findings">
            {arcs.slice(0, SHOWN_ARCS).map((arc) => (
              <li>
                <b>{text.triggers(arc.rule, arc.triggers)}</b>
                <p class="reason">{shortText(arc.reason, prefixes)}</p>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function Findings(props: { analysis: RuleAnalysis; prefixes: Prefixes; chosen: string | null }) {
  const { analysis, chosen, prefixes } = props;
  if (analysis.kind !== "analysed") return <Empty>{analysis.kind === "no schema" ? text.noSchema : text.none}</Empty>;
  const found = analysis.findings.filter((one) => !chosen || one.rules.length === 0 || one.rules.includes(chosen));
  if (found.length === 0) return <Empty>{text.fine}</Empty>;
  return (
    <ul class="findings">
      {found.map((one) => (
        <li>
          <Badge tone={one.warns ? "warn" : "good"}>{one.label}</Badge> <b>{one.rules.join(", ")}</b>
          <p class="reason">{shortText(one.text, prefixes)}</p>
        </li>
      ))}
    </ul>
  );
}

function RuleItem(props: { rule: Rule; isOpen: boolean; onOpen: (rule: string | null) => void; onTree: (schedule: number) => void; onChange: () => void }) {
  const { rule, isOpen } = props;
  const [isRemoving, setRemoving] = useState(false);
  const remove = async () => {
    try {
      await act("DELETE", `/rules/${segment(rule.id)}`);
      props.onOpen(null);
      props.onChange();
    } catch (error) {
      say(problemText(error));
    }
  };
  return (
    <li class={isOpen ? "chosen" : ""}>
      <button class="quiet row" aria-expanded={isOpen} onClick={() => props.onOpen(isOpen ? null : rule.id)}>
        <b>{rule.id}</b>
        <span class="muted">
          {rule.owner} · {rule.listens}
        </span>
        {rule.quarantined && <Badge tone="bad">quarantined</Badge>}
      </button>
      {isOpen && (
        <div class="unfolded">
          {rule.quarantined && <p class="notice bad">{rule.quarantined}</p>}
          <pre class="query">{rule.text.trim()}</pre>
          <Firings rule={rule.id} onTree={props.onTree} />
          <div class="actions">
            <button class="danger" onClick={() => setRemoving(true)}>
              {words.lists.remove}
            </button>
          </div>
          {isRemoving && (
            <Confirm
              title={words.lists.removeTitle(rule.id)}
              about={words.lists.removeAbout}
              action={words.lists.remove}
              onDone={() => void remove()}
              onClose={() => setRemoving(false)}
            />
          )}
        </div>
      )}
    </li>
  );
}

function Firings(props: { rule: string; onTree: (schedule: number) => void }) {
  const firings = useAnswer((signal) => get<{ firings: Firing[] }>(`/rules/${segment(props.rule)}/firings`, { limit: 1000 }, signal), [props.rule]);
  return (
    <Answered of={firings}>
      {(found) => {
        const schedules = [...new Set(found.firings.map((firing) => firing.schedule))].reverse().slice(0, 20);
        return (
          <>
            <h3>
              {text.firings} <Badge>{number(found.firings.length)}</Badge>
            </h3>
            {schedules.length === 0 && <Empty>{text.noFirings}</Empty>}
            <p class="chips">
              {schedules.map((schedule) => (
                <button onClick={() => props.onTree(schedule)}>
                  {text.schedule} {number(schedule)}
                </button>
              ))}
            </p>
          </>
        );
      }}
    </Answered>
  );
}

function Tree(props: { position: number; onClose: () => void }) {
  const schedule = useAnswer((signal) => get<TracedSchedule>(`/schedules/${props.position}`, {}, signal), [props.position]);
  return (
    <Panel
      title={text.tree(props.position)}
      aside={
        <button class="quiet" aria-label={words.close} onClick={props.onClose}>
          ✕
        </button>
      }
    >
      <Answered of={schedule}>{(found) => <FiringTree schedule={found} />}</Answered>
    </Panel>
  );
}

function Draft(props: { onChecked: (analysis: RuleAnalysis | null) => void }) {
  const [draft, setDraft] = useState(DRAFT);
  const [mistake, setMistake] = useState<Mistake | null>(null);
  const check = async () => {
    try {
      props.onChecked(await post<RuleAnalysis>("/analysis", {}, draft, languages.rdftl.mediaType));
      setMistake(null);
    } catch (error) {
      const found = error instanceof Problem ? error : null;
      setMistake({ text: problemText(error), line: found?.line ?? null, column: found?.column ?? null });
    }
  };
  return (
    <Panel title={text.draft}>
      <Editor label={text.draftLabel} language="rdftl" initial={draft} mistake={mistake} onChange={setDraft} onRun={check} />
      <p class="bad-text" role="alert">
        {mistake?.text ?? ""}
      </p>
      <div class="actions">
        <button class="primary" onClick={check}>
          {text.check}
        </button>
      </div>
    </Panel>
  );
}

function Changes(props: { onTree: (schedule: number) => void }) {
  const changes = useAnswer(async (signal) => {
    const { head } = await get<ChangePage>("/changes", { after: 0, limit: 1 }, signal);
    return get<ChangePage>("/changes", { after: Math.max(0, head - CHANGES), limit: CHANGES }, signal);
  }, []);
  return (
    <Panel title={text.changes}>
      <Answered of={changes}>
        {(found) =>
          found.changes.length ? (
            <ul class="changes">
              {found.changes.toReversed().map((change) => (
                <li>
                  <button onClick={() => props.onTree(change.position)}>
                    {text.change(change.position)}
                  </button>
                  <span class="muted">
                    {moment(change.time)} · {text.wrote(change.added.length, change.removed.length)}
                  </span>
                </li>
              ))}
            </ul>
          ) : (
            <Empty>{text.noChanges}</Empty>
          )
        }
      </Answered>
    </Panel>
  );
}
