/** Try a query on the last events, see why others did not match, subscribe, and watch. */

import { useEffect, useRef, useState } from "preact/hooks";

import type { Explanation, Standing, Trial } from "../answers";
import { Problem, act, post, put, segment } from "../api";
import { Badge, Panel, Screen } from "../parts/basics";
import { Editor, type Mistake } from "../parts/editor";
import { languages } from "../parts/languages";
import { LiveMatches } from "../parts/livematches";
import { MatchTable } from "../parts/solutions";
import { learnVocabulary, me, problemText, say, usePlace, vocabulary } from "../state";
import { shortIri, shortText } from "../turtle";
import { number, words } from "../words";

const text = words.try;
const CHECK_AFTER = 500;
type Asked = "sparql" | "formula" | "graph";

const EXAMPLES: Record<Asked, string> = {
  sparql: `PREFIX dcterms: <http://purl.org/dc/terms/>

SELECT ?work ?title WHERE {
  ?work dcterms:title ?title .
  FILTER(CONTAINS(?title, "RDF"))
}
`,
  formula: `@prefix dcterms: <http://purl.org/dc/terms/>
X, Y : t(X, <dcterms:title>, Y) ^ Y contains "RDF"
`,
  graph: `@prefix dcterms: <http://purl.org/dc/terms/>
?work dcterms:title ?title
?work dcterms:issued ?year(> 2000)
`,
};
// What was written stays while one looks at another screen.
const drafts: Record<Asked, string> = { ...EXAMPLES };
let lastLanguage: Asked = "sparql";

export function TryQuery() {
  const { parameters } = usePlace();
  const [language, setLanguage] = useState<Asked>(lastLanguage);
  const [query, setQuery] = useState(parameters.get("query") ?? drafts[lastLanguage]);
  const [mistake, setMistake] = useState<Mistake | null>(null);
  const [explanation, setExplanation] = useState<Explanation | null>(null);
  const [trial, setTrial] = useState<Trial | null>(null);
  const [isTrying, setTrying] = useState(false);
  const [subscription, setSubscription] = useState<string | null>(null);
  const who = me.use()!;
  useEffect(() => void learnVocabulary(), []);
  useCheck(query, language, setMistake, setExplanation);

  const choose = (next: Asked) => {
    drafts[language] = query;
    lastLanguage = next;
    setLanguage(next);
    setQuery(drafts[next]);
    setTrial(null);
  };
  const write = (next: string) => {
    drafts[language] = next;
    setQuery(next);
  };
  const run = async () => {
    setTrying(true);
    try {
      setTrial(await post<Trial>("/trials", { limit: 1000 }, query, languages[language].mediaType));
      setMistake(null);
    } catch (error) {
      setTrial(null);
      setMistake(mistakeOf(error));
    } finally {
      setTrying(false);
    }
  };
  return (
    <Screen title={words.screens.try} about={text.about}>
      <div class="columns even">
        <Panel
          title={text.editor}
          aside={
            <div class="segments" role="group" aria-label={text.language}>
              {(Object.keys(EXAMPLES) as Asked[]).map((name) => (
                <button aria-pressed={name === language} onClick={() => choose(name)}>
                  {text.languages[name]}
                </button>
              ))}
            </div>
          }
        >
          <Editor key={language} label={text.editor} language={language} initial={query} mistake={mistake} onChange={write} onRun={run} />
          <Verdict mistake={mistake} explanation={explanation} />
          <div class="actions spread">
            <button class="primary" disabled={isTrying} onClick={run}>
              {isTrying ? text.running : text.run}
            </button>
            <Subscribe query={query} language={language} onSubscribed={setSubscription} onProblem={(error) => setMistake(mistakeOf(error))} />
          </div>
          <p class="muted small">{text.keys}</p>
        </Panel>
        <div class="stack">
          {subscription && <LiveMatches key={subscription} name={subscription} owner={who.id} onEnd={() => setSubscription(null)} />}
          {trial && <Outcome trial={trial} />}
        </div>
      </div>
    </Screen>
  );
}

/** Ask the node, after a short rest, whether the text is a query: it knows best where one is wrong. */
function useCheck(query: string, language: Asked, wrong: (found: Mistake | null) => void, fine: (found: Explanation | null) => void) {
  useEffect(() => {
    const ending = new AbortController();
    const timer = setTimeout(() => {
      post<Explanation>("/explain", {}, query, languages[language].mediaType, ending.signal)
        .then((found) => (fine(found), wrong(null)))
        .catch((error: unknown) => ending.signal.aborted || (fine(null), wrong(mistakeOf(error))));
    }, CHECK_AFTER);
    return () => (clearTimeout(timer), ending.abort());
  }, [query, language]);
}

function mistakeOf(error: unknown): Mistake {
  const found = error instanceof Problem ? error : null;
  return { text: problemText(error), line: found?.line ?? null, column: found?.column ?? null };
}

function Verdict(props: { mistake: Mistake | null; explanation: Explanation | null }) {
  const { mistake, explanation } = props;
  if (mistake)
    return (
      <p class="verdict bad-text" role="alert">
        {mistake.line !== null && <b>{text.errorAt(mistake.line, mistake.column ?? 1)}: </b>}
        {mistake.text}
      </p>
    );
  if (!explanation) return <p class="verdict muted" />;
  return (
    <p class="verdict" role="status">
      <Badge tone="good">{text.fine}</Badge> <Badge>{text.lane[explanation.lane]}</Badge>{" "}
      {explanation.unindexed && <Badge tone="warn">{text.unindexed}</Badge>}
    </p>
  );
}

function Subscribe(props: { query: string; language: Asked; onSubscribed: (name: string) => void; onProblem: (error: unknown) => void }) {
  const [name, setName] = useState(`try-${Date.now().toString(36).slice(-5)}`);
  const send = async (event: Event) => {
    event.preventDefault();
    try {
      await put<Standing>(`/subscriptions/${segment(name)}`, {}, props.query, languages[props.language].mediaType);
      say(text.subscribed(name));
      props.onSubscribed(name);
    } catch (error) {
      props.onProblem(error);
    }
  };
  return (
    <form class="actions" onSubmit={send}>
      <input aria-label={text.subscribeName} required maxLength={200} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      <button type="submit">{text.subscribe}</button>
    </form>
  );
}

function Outcome(props: { trial: Trial }) {
  const { trial } = props;
  const head = useRef<HTMLParagraphElement>(null);
  const { prefixes } = vocabulary.use();
  const summary = trial.events === 0 ? text.noEvents : trial.matched ? text.found(trial.matched, trial.events) : text.none(trial.events);
  return (
    <>
      <Panel title={text.matches} aside={<Badge tone={trial.matched ? "good" : "calm"}>{number(trial.matched)}</Badge>}>
        <p ref={head} role="status">
          {summary}
          {trial.matched > trial.matches.length && <span class="muted"> · {text.newest(trial.matches.length)}</span>}
        </p>
        <MatchTable matches={trial.matches.map((match) => ({ ...match, count: match.solution_count }))} />
      </Panel>
      {trial.misses.length > 0 && (
        <Panel title={text.misses}>
          <ol class="results">
            {trial.misses.map((miss) => (
              <li key={miss.position}>
                <p class="log-head">
                  <b>{number(miss.position)}</b>
                  <span class="name">{shortIri(miss.event, prefixes)}</span>
                  <Closeness part={miss.closeness} />
                </p>
                <p class="reason">{shortText(miss.reason, prefixes)}</p>
              </li>
            ))}
          </ol>
        </Panel>
      )}
      <Panel title={text.requires}>
        <ul class="plain mono">
          {trial.explanation.requires.map((line) => (
            <li>{shortText(line, prefixes)}</li>
          ))}
        </ul>
      </Panel>
    </>
  );
}

function Closeness(props: { part: number }) {
  return (
    <span class="closeness">
      <meter min={0} max={1} value={props.part} aria-label={text.close(props.part)} />
      <span class="muted">{text.close(props.part)}</span>
    </span>
  );
}

export async function unsubscribe(kind: "subscriptions" | "views", name: string, owner: string) {
  await act("DELETE", `/${kind}/${segment(name)}`, { owner });
}
