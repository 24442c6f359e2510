/** The cube as a picture: who is where, who is away, and the way of an event. */

import { useState } from "preact/hooks";

import type { Member, NetworkView, RecentEvent, RecentEvents } from "../answers";
import { get } from "../api";
import { Cube } from "../cube";
import { useAnswer, vocabulary } from "../state";
import { shortIri } from "../turtle";
import { number, rate, words } from "../words";
import { Answered, Empty, Panel } from "./basics";

const text = words.network;
const RADIUS = 23;
const LISTED = 12;
const ALIVE = "alive";

export function CubePanel(props: { view: NetworkView; perMember: Map<string, number> }) {
  const { view } = props;
  const [followed, setFollowed] = useState<RecentEvent | null>(null);
  const recent = useAnswer((signal) => get<RecentEvents>("/events/recent", { limit: LISTED }, signal), [], 5_000);
  const placed = view.members.filter((member) => member.slot !== null);
  const away = view.members.filter((member) => member.status !== ALIVE);
  const origin = followed === null ? null : (view.members.find(({ id }) => id === (followed.origin ?? view.id)) ?? null);
  const hops = origin?.slot == null || view.slot === null ? [] : hopsOf(new Cube(placed.length), origin.slot, view.slot);
  return (
    <div class="stack">
      <Panel title={text.cube}>
        <Picture view={view} placed={placed} hops={hops} perMember={props.perMember} />
        {away.some(({ slot }) => slot === null) && (
          <p class="notice bad">
            {away
              .filter(({ slot }) => slot === null)
              .map((member) => `${member.address}: ${member.status}`)
              .join(" · ")}
          </p>
        )}
        <p class="muted">{text.cubeNow(view.members.length, away.length)}</p>
      </Panel>
      <Panel title={text.follow}>
        <p class="muted">{followed && origin ? wayText(view, origin) : text.followAbout}</p>
        <Answered of={recent}>{(found) => <Choices events={found.events} followed={followed} onChoose={setFollowed} />}</Answered>
      </Panel>
    </div>
  );
}

function hopsOf(cube: Cube, from: number, here: number): [number, number][] {
  return from === here ? cube.broadcast(from).hops : cube.way(from, here);
}

function wayText(view: NetworkView, origin: Member): string {
  const from = origin.label || text.here;
  return origin.id === view.id ? text.wayOut(from) : text.way(from, view.label ?? text.here);
}

function Choices(props: { events: RecentEvent[]; followed: RecentEvent | null; onChoose: (event: RecentEvent | null) => void }) {
  const { prefixes } = vocabulary.use();
  if (props.events.length === 0) return <Empty>{text.followNone}</Empty>;
  return (
    <ul class="choices">
      {props.events.toReversed().map((event) => {
        const isChosen = event.position === props.followed?.position;
        return (
          <li key={event.position}>
            <button aria-pressed={isChosen} onClick={() => props.onChoose(isChosen ? null : event)}>
              <span class="mono clip">{shortIri(event.event, prefixes)}</span>
              <span class="muted">{event.origin ? words.log.from(event.origin.slice(0, 10)) : text.here}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function Picture(props: { view: NetworkView; placed: Member[]; hops: [number, number][]; perMember: Map<string, number> }) {
  const { view, placed, hops } = props;
  const cube = new Cube(placed.length);
  const points = cube.points();
  const at = (place: number) => points[place] ?? [0, 0];
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [left, top] = [Math.min(...xs) - 60, Math.min(...ys) - 50];
  const [width, height] = [Math.max(...xs) - left + 60, Math.max(...ys) - top + 60];
  const onWay = new Set(hops.flat());
  return (
    <svg class="cube" viewBox={`${left} ${top} ${width} ${height}`} role="img" aria-label={text.cubeNow(view.members.length, view.members.filter(({ status }) => status !== ALIVE).length)}>
      {cube.links().map(([one, other]) => {
        const [[x1, y1], [x2, y2]] = [at(one), at(other)];
        return <line class={`link ${one === view.slot || other === view.slot ? "own" : ""}`} x1={x1} y1={y1} x2={x2} y2={y2} />;
      })}
      {hops.map(([one, other], number) => {
        const [[x1, y1], [x2, y2]] = [at(one), at(other)];
        return <line key={`${one}-${other}`} class={`hop wait-${Math.min(number, 7)}`} pathLength={1} x1={x1} y1={y1} x2={x2} y2={y2} />;
      })}
      {placed.map((member) => {
        const [x, y] = at(member.slot!);
        const state = `${member.status === ALIVE ? "" : "away"} ${member.id === view.id ? "here" : ""} ${onWay.has(member.slot!) ? "on-way" : ""}`;
        const sent = props.perMember.get(member.id);
        return (
          <g class={`member ${state}`}>
            <title>{`${member.address} ${member.status}`}</title>
            <circle cx={x} cy={y} r={RADIUS} />
            <text x={x} y={y + 5} text-anchor="middle">
              {member.label || "·"}
            </text>
            <text class="beside" x={x} y={y + RADIUS + 15} text-anchor="middle">
              {member.status !== ALIVE ? member.status : member.id === view.id ? text.here : sent ? `${rate(sent)}/s` : `:${member.address.split(":").at(-1)}`}
            </text>
          </g>
        );
      })}
      {placed.length === 0 && (
        <text x={0} y={0} text-anchor="middle">
          {number(0)}
        </text>
      )}
    </svg>
  );
}
