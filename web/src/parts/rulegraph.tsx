/** The triggering graph: the node says in which layer each rule stands, this draws it. */

import type { RuleAnalysis } from "../answers";
import { words } from "../words";

const HEIGHT = 34;
const LAYER = 84;
const GAP = 22;
const LETTER = 7.8;
const MOST = 150;

interface Box {
  x: number;
  y: number;
  width: number;
}

function placed(layers: string[][]): { boxes: Map<string, Box>; width: number; height: number } {
  const widths = layers.map((row) => row.reduce((sum, name) => sum + widthOf(name) + GAP, -GAP));
  const width = Math.max(300, ...widths);
  const boxes = new Map<string, Box>();
  layers.forEach((row, depth) => {
    let x = (width - widths[depth]!) / 2;
    for (const name of row) {
      boxes.set(name, { x, y: depth * LAYER, width: widthOf(name) });
      x += widthOf(name) + GAP;
    }
  });
  return { boxes, width, height: (layers.length - 1) * LAYER + HEIGHT };
}

const widthOf = (name: string) => Math.min(name.length, 28) * LETTER + 28;
const shown = (name: string) => (name.length > 28 ? `${name.slice(0, 27)}…` : name);

/** From the lower edge of one to the upper edge of the other; round the side where it goes back or to itself. */
function curve(start: Box, end: Box): string {
  const from = start.x + start.width / 2;
  const to = end.x + end.width / 2;
  if (end.y > start.y) {
    const [top, bottom] = [start.y + HEIGHT, end.y - 3];
    return `M${from} ${top}C${from} ${(top + bottom) / 2},${to} ${(top + bottom) / 2},${to} ${bottom}`;
  }
  const side = start.x + start.width;
  const far = Math.max(side, end.x + end.width) + 26;
  const [out, back] = [start.y + HEIGHT * 0.65, end.y + HEIGHT * 0.35];
  return `M${side} ${out}C${far} ${out + 14},${far} ${back - 14},${end.x + end.width + 3} ${back}`;
}

export function RuleGraph(props: { analysis: RuleAnalysis; chosen: string | null; onChoose: (rule: string) => void }) {
  const { layers, arcs } = props.analysis;
  const count = layers.flat().length;
  if (count > MOST) return <p class="muted">{words.rules.tooMany(count)}</p>;
  const { boxes, width, height } = placed(layers);
  const endless = new Set(arcs.filter((arc) => arc.on_cycle).flatMap((arc) => [arc.rule, arc.triggers]));
  return (
    <div class="scroll graph" tabIndex={0} role="region" aria-label={words.rules.graph}>
      <svg viewBox={`-34 -8 ${width + 68} ${height + 16}`} width={width + 68} height={height + 16} role="group" aria-label={words.rules.graphAbout(count, arcs.length)}>
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
            <path d="M0 0L8 4L0 8Z" />
          </marker>
          <marker id="arrow-endless" class="endless" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
            <path d="M0 0L8 4L0 8Z" />
          </marker>
        </defs>
        {arcs.map((arc) => {
          const [start, end] = [boxes.get(arc.rule), boxes.get(arc.triggers)];
          if (!start || !end) return null;
          const near = props.chosen === arc.rule || props.chosen === arc.triggers;
          return (
            <path class={`arc ${arc.on_cycle ? "endless" : ""} ${near ? "near" : ""}`} d={curve(start, end)} marker-end={`url(#arrow${arc.on_cycle ? "-endless" : ""})`}>
              <title>{arc.reason}</title>
            </path>
          );
        })}
        {[...boxes].map(([name, box]) => (
          <g
            class={`rule ${endless.has(name) ? "endless" : ""} ${props.chosen === name ? "chosen" : ""}`}
            role="button"
            tabIndex={0}
            aria-label={name}
            aria-pressed={props.chosen === name}
            onClick={() => props.onChoose(name)}
            onKeyDown={(event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), props.onChoose(name))}
          >
            <rect x={box.x} y={box.y} width={box.width} height={HEIGHT} rx="8" />
            <text x={box.x + box.width / 2} y={box.y + 22} text-anchor="middle">
              {shown(name)}
            </text>
          </g>
        ))}
      </svg>
    </div>
  );
}
