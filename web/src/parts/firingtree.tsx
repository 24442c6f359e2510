/** What came of a schedule: transactions, and below each firing's cause the firing. */

import type { TracedSchedule, TracedUnit } from "../answers";
import { vocabulary } from "../state";
import { termPieces } from "../turtle";
import { moment, words } from "../words";
import { Badge, Pieces } from "./basics";

export function FiringTree(props: { schedule: TracedSchedule }) {
  const { units } = props.schedule;
  return (
    <>
      <p class="muted">
        {moment(props.schedule.time)} · {words.rules.treeAbout}
      </p>
      {units.length === 0 && <p class="muted empty">{words.rules.noTree}</p>}
      <ul class="tree">
        {units
          .filter((unit) => unit.cause === null)
          .map((unit) => (
            <Unit key={unit.number} unit={unit} units={units} />
          ))}
      </ul>
    </>
  );
}

function Unit(props: { unit: TracedUnit; units: TracedUnit[] }) {
  const { unit, units } = props;
  const { prefixes } = vocabulary.use();
  const caused = units.filter((other) => other.cause === unit.number);
  return (
    <li>
      <div class="unit">
        <b>{unit.rule ?? unit.transaction}</b> {unit.rule === null && <Badge>{words.rules.update}</Badge>} <Badge tone={unit.status === "committed" ? "good" : "bad"}>{unit.status}</Badge>{" "}
        <span class="muted">
          {words.rules.wrote(unit.inserted, unit.deleted)}
          {unit.coupling ? ` · ${unit.coupling.toLowerCase()}` : ""}
        </span>
        {Object.entries(unit.delta).map(([name, value]) => (
          <span class="delta mono">
            $delta{name === "delta" ? "" : `.${name}`} = <Pieces pieces={termPieces(value, prefixes)} />
          </span>
        ))}
        {unit.error && <p class="bad-text">{unit.error}</p>}
      </div>
      {caused.length > 0 && (
        <ul>
          {caused.map((other) => (
            <Unit key={other.number} unit={other} units={units} />
          ))}
        </ul>
      )}
    </li>
  );
}
