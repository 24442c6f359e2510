/** Overview: what the node is doing now, as figures, charts and the last events. */

import { useMemo, useState } from "preact/hooks";

import { PublishDialog } from "./publish";
import { EventLog } from "../parts/eventlog";
import { Panel, Screen } from "../parts/basics";
import { Chart } from "../parts/chart";
import { figures, me, samples } from "../state";
import { bytes, number, rate, span, words } from "../words";

const text = words.overview;

export function Overview() {
  const now = figures.use();
  const past = samples.use();
  const who = me.use()!;
  const [isPublishing, setPublishing] = useState(false);
  const traffic = useMemo(() => [past.map((one) => one.time), past.map((one) => one.events), past.map((one) => one.notifications)], [past]);
  const work = useMemo(() => [past.map((one) => one.time), past.map((one) => one.tested)], [past]);
  const last = past.at(-1);
  const events = rate(last?.events ?? 0);
  const notifications = rate(last?.notifications ?? 0);
  return (
    <Screen
      title={words.screens.overview}
      about={`${text.about}${now ? ` ${text.uptime(span(now.uptime))}.` : ""}`}
      actions={who.may_publish && <button onClick={() => setPublishing(true)}>{words.publish.open}</button>}
    >
      <ul class="tiles">
        <Tile label={text.events} value={events} note={text.kept(now ? now.head - now.floor : 0)} />
        <Tile label={text.notifications} value={notifications} note={text.sinceStart(now?.matched ?? 0)} />
        <Tile label={text.subscriptions} value={number(now?.subscriptions ?? 0)} note={text.standing(now?.views ?? 0, now?.rules ?? 0)} href="#/subscriptions" />
        <Tile label={text.lag} value={span(now?.oldest_waiting ?? 0)} note={text.waitingFor(now?.waiting ?? 0)} />
        <Tile label={text.letters} value={number(now?.dead_letters ?? 0)} note={now?.dead_letters ? text.lettersSome : text.lettersNone} tone={now?.dead_letters ? "warn" : ""} href="#/letters" />
        <Tile label={text.commit} value={span(now?.commit_seconds ?? 0)} note={text.queue(now?.writer_queue ?? 0)} />
        <Tile label={text.disk} value={bytes(now?.log_bytes ?? 0)} note={text.free(bytes(now?.disk_free ?? 0))} />
      </ul>
      <div class="columns">
        <div class="stack">
          <Panel title={text.traffic}>
            <Chart
              lines={[
                { label: text.event, colour: "--c-events" },
                { label: text.notification, colour: "--c-notifications" },
              ]}
              data={traffic}
              summary={text.trafficNow(events, notifications)}
            />
          </Panel>
          <Panel title={text.work}>
            <Chart lines={[{ label: text.tested, colour: "--c-work" }]} data={work} summary={text.workNow(rate(last?.tested ?? 0))} height={140} />
          </Panel>
        </div>
        {who.may_read && <EventLog />}
      </div>
      {isPublishing && <PublishDialog onClose={() => setPublishing(false)} />}
    </Screen>
  );
}

function Tile(props: { label: string; value: string; note: string; tone?: string; href?: string }) {
  const body = (
    <>
      <span class="tile-label">{props.label}</span>
      <span class="tile-value">{props.value}</span>
      <span class="tile-note muted">{props.note}</span>
    </>
  );
  return <li class={`tile ${props.tone ?? ""}`}>{props.href ? <a href={props.href}>{body}</a> : <div>{body}</div>}</li>;
}
