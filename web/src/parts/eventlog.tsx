/** The last events as they come, in Turtle. Where many come the node sends a sample, and this says so. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { RecentEvent, RecentEvents } from "../answers";
import { followAlways } from "../api";
import { vocabulary } from "../state";
import { shortIri, turtle, type Prefixes } from "../turtle";
import { clock, number, words } from "../words";
import { Badge, Empty, Panel, Pieces } from "./basics";

const KEPT = 40;
const text = words.log;

interface Shown {
  events: RecentEvent[];
  shown: number;
  all: number;
}

export function EventLog() {
  const [log, setLog] = useState<Shown>({ events: [], shown: 0, all: 0 });
  const [isPaused, setPaused] = useState(false);
  const [isConnected, setConnected] = useState(false);
  const [filter, setFilter] = useState("");
  const paused = useRef(false);
  paused.current = isPaused;
  const { prefixes } = vocabulary.use();
  useEffect(
    () =>
      followAlways(
        "/events/recent?limit=20",
        (data) => {
          if (paused.current || document.hidden) return;
          const found = JSON.parse(data) as RecentEvents;
          setLog((was) => ({
            events: [...found.events.toReversed(), ...was.events.filter(({ position }) => position < (found.events[0]?.position ?? Infinity))].slice(0, KEPT),
            shown: found.events.length,
            all: found.events.length + found.skipped,
          }));
        },
        setConnected,
      ),
    [],
  );
  const wanted = filter.trim().toLowerCase();
  const shown = wanted ? log.events.filter((one) => `${one.event} ${one.publisher} ${one.nquads}`.toLowerCase().includes(wanted)) : log.events;
  const isSample = log.all > log.shown;
  return (
    <Panel
      title={text.title}
      class="log-panel"
      aside={
        <div class="actions">
          <Badge tone={isPaused ? "warn" : isConnected ? "good" : "calm"}>{isPaused ? text.paused : isConnected ? text.live : text.reconnecting}</Badge>
          <input type="search" aria-label={text.filter} placeholder={text.filter} value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
          <button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            {isPaused ? text.resume : text.pause}
          </button>
        </div>
      }
    >
      <p class={`sampling ${isSample ? "warn-text" : "muted"}`}>{isSample ? text.sampled(log.shown, log.all) : text.whole}</p>
      {shown.length === 0 && <Empty>{text.empty}</Empty>}
      <div class="scroll" tabIndex={0} role="region" aria-label={text.title}>
        <ol class="log">
          {shown.map((event) => (
            <Event key={event.position} event={event} prefixes={prefixes} />
          ))}
        </ol>
      </div>
    </Panel>
  );
}

function Event(props: { event: RecentEvent; prefixes: Prefixes }) {
  const { event, prefixes } = props;
  const pieces = useMemo(() => turtle(event.nquads, prefixes), [event.nquads, prefixes]);
  const cut = event.quads > event.nquads.split("\n").length;
  return (
    <li>
      <p class="log-head">
        <b>{number(event.position)}</b>
        <span class="name" title={event.event}>
          {shortIri(event.event, prefixes)}
        </span>
        <span class="muted">
          <time>{clock(event.accepted)}</time> · {text.by(event.publisher)}
          {event.origin && ` · ${text.from(event.origin)}`} · {text.quads(event.quads)}
        </span>
      </p>
      <pre class="turtle">
        <Pieces pieces={pieces} />
        {cut && <span class="muted">{text.cut(event.quads)}</span>}
      </pre>
    </li>
  );
}
