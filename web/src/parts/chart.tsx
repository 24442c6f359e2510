/** A live chart of the last minutes. Its words are said to screen readers; the picture is for eyes. */

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import { theme } from "../theme";

const SHORTEST = 60;

export interface Line {
  label: string;
  colour: string;
}

/** What a name of the style sheet is, in the theme that is on. */
function colour(name: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

const faint = (name: string) => colour(name).replace("rgb(", "rgba(").replace(")", ", 0.1)");

function axis(size?: number): uPlot.Axis {
  const font = "11px system-ui, sans-serif";
  return { stroke: colour("--muted"), font, grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, ...(size && { size }) };
}

/** A minute at least, also before anything has come. */
function spanOf(first: number | null, last: number | null): [number, number] {
  const end = last ?? Date.now() / 1000;
  return [Math.min(first ?? end, end - SHORTEST), end];
}

function optionsFor(lines: Line[], width: number, height: number): uPlot.Options {
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    padding: [8, 8, 0, 0],
    axes: [{ ...axis(26), space: 80, values: (_, splits) => splits.map((at) => new Date(at * 1000).toLocaleTimeString("en-GB")) }, axis(44)],
    scales: { x: { range: (_, first, last) => spanOf(first, last) }, y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    series: [
      {},
      ...lines.map((line) => ({
        label: line.label,
        stroke: colour(line.colour),
        fill: faint(line.colour),
        width: 1.75,
        points: { show: false },
      })),
    ],
  };
}

/** Before there is a line to draw, an empty minute. */
function drawable(data: number[][]): uPlot.AlignedData {
  if (data[0]!.length > 1) return data as uPlot.AlignedData;
  const now = Date.now() / 1000;
  return [[now - SHORTEST, now], ...data.slice(1).map(() => [null, null])] as uPlot.AlignedData;
}

export function Chart(props: { lines: Line[]; data: number[][]; summary: string; height?: number }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const mode = theme.use();
  const height = props.height ?? 190;
  useEffect(() => {
    const made = new uPlot(optionsFor(props.lines, box.current!.clientWidth, height), drawable(props.data), box.current!);
    plot.current = made;
    const watch = new ResizeObserver(([entry]) => made.setSize({ width: Math.floor(entry!.contentRect.width), height }));
    watch.observe(box.current!);
    return () => (watch.disconnect(), made.destroy());
  }, [mode, height]);
  useEffect(() => plot.current?.setData(drawable(props.data)), [props.data]);
  return (
    <figure class="chart">
      <figcaption>
        {props.lines.map((line) => (
          <span class="legend">
            <i class={`dot ${line.colour.slice(2)}`} aria-hidden="true" />
            {line.label}
          </span>
        ))}
      </figcaption>
      <div ref={box} role="img" aria-label={props.summary} />
    </figure>
  );
}
