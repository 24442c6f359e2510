/** The event space as a picture: its zones along two of their four sides. Others lie behind each other. */

import { useState } from "preact/hooks";

import type { SpaceView, Zone } from "../answers";
import { number, words } from "../words";
import { Panel } from "./basics";

const text = words.network;
const [WIDTH, HEIGHT] = [640, 420];

/** Where borders are drawn: in their order, evenly apart, since names have no distances. */
function borders(zones: Zone[], axis: number): string[] {
  const found = new Set(zones.flatMap((zone) => [zone.lower[axis]!, ...(zone.upper[axis] === null ? [] : [zone.upper[axis]!])]));
  return [...found].sort();
}

export function SpacePanel(props: { view: SpaceView }) {
  const { view } = props;
  const [[across, down], setAxes] = useState<[number, number]>([1, 2]);
  const zones = view.nodes.flatMap((node, place) => node.zones.map((zone) => ({ zone, node, place })));
  const columns = borders(zones.map(({ zone }) => zone), across);
  const rows = borders(zones.map(({ zone }) => zone), down);
  const most = Math.max(1, ...zones.map(({ zone }) => zone.quads));
  // Zones that lie behind each other here have their names below each other.
  const behind = (zone: Zone, place: number) => zones.slice(0, place).filter((other) => [across, down].every((axis) => other.zone.lower[axis] === zone.lower[axis])).length;
  const placed = (border: string[], value: string | null | undefined, size: number) => (value == null ? size : (border.indexOf(value) / border.length) * size);
  return (
    <Panel
      title={text.space}
      aside={
        <div class="actions">
          <span class="muted">{text.axes}</span>
          {[across, down].map((axis, which) => (
            <select
              aria-label={`${text.axes} ${which + 1}`}
              value={axis}
              onChange={(event) => {
                const chosen = Number(event.currentTarget.value);
                setAxes(which === 0 ? [chosen, down === chosen ? across : down] : [across === chosen ? down : across, chosen]);
              }}
            >
              {text.axis.map((name, number) => (
                <option value={number}>{name}</option>
              ))}
            </select>
          ))}
        </div>
      }
    >
      <svg class="space" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={text.spaceNow(zones.length, view.nodes.length)}>
        {zones.map(({ zone, node, place }, order) => {
          const line = behind(zone, order) * 38;
          const [x, y] = [placed(columns, zone.lower[across], WIDTH), placed(rows, zone.lower[down], HEIGHT)];
          const width = placed(columns, zone.upper[across], WIDTH) - x;
          const height = placed(rows, zone.upper[down], HEIGHT) - y;
          const fill = 0.18 + 0.5 * (zone.quads / most);
          return (
            <g class={`zone zone-${place % 8} ${node.id === view.id ? "here" : ""}`}>
              <title>{`${node.address}: ${zone.lower.join(" ")} … ${zone.upper.map((one) => one ?? "∞").join(" ")}`}</title>
              <rect x={x + 1.5} y={y + 1.5} width={Math.max(2, width - 3)} height={Math.max(2, height - 3)} rx="5" fill-opacity={fill} />
              {width > 70 && height > 34 + line && (
                <>
                  <text x={x + 10} y={y + 20 + line}>
                    :{node.address.split(":").at(-1)}
                  </text>
                  <text class="beside" x={x + 10} y={y + 35 + line}>
                    {words.log.quads(zone.quads)}
                  </text>
                </>
              )}
            </g>
          );
        })}
      </svg>
      <p class="muted">
        {text.spaceNow(zones.length, view.nodes.length)} {number(zones.reduce((sum, { zone }) => sum + zone.quads, 0))} {text.quads.toLowerCase()}.
      </p>
    </Panel>
  );
}
