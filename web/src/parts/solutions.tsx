/** Matches as a table: a row a solution, a column a variable, and which event it is about. */

import type { Solution } from "../answers";
import { vocabulary } from "../state";
import { jsonTermPieces, shortIri, turtle } from "../turtle";
import { number, words } from "../words";
import { Pieces } from "./basics";

// Of each event; how many more there are is said.
const SHOWN = 8;

export interface ShownMatch {
  event: string;
  position: number;
  solutions: Solution[];
  count: number;
  construct?: string[];
}

export function MatchTable(props: { matches: ShownMatch[] }) {
  const { matches } = props;
  const { prefixes } = vocabulary.use();
  if (matches.length === 0) return null;
  const variables = [...new Set(matches.flatMap(({ solutions }) => solutions.flatMap((solution) => Object.keys(solution))))];
  const isMade = matches.some(({ construct }) => construct?.length);
  return (
    <div class="scroll matches" tabIndex={0} role="region" aria-label={words.try.matches}>
      <table class="solutions">
        <thead>
          <tr>
            <th scope="col">{words.letters.event}</th>
            {isMade ? <th scope="col">CONSTRUCT</th> : variables.map((name) => <th scope="col">?{name}</th>)}
          </tr>
        </thead>
        <tbody>
          {matches.map((match) => {
            const shown = isMade || match.solutions.length === 0 ? [null] : match.solutions.slice(0, SHOWN);
            return shown.map((solution, place) => (
              <tr key={`${match.position} ${place}`}>
                {place === 0 && (
                  <th scope="row" rowSpan={shown.length} title={shortIri(match.event, prefixes)}>
                    {number(match.position)}
                    {match.count > shown.length && !isMade && <small class="muted">{words.try.moreSolutions(match.count - shown.length)}</small>}
                  </th>
                )}
                {isMade && (
                  <td class="turtle">
                    <Pieces pieces={turtle((match.construct ?? []).join("\n"), prefixes)} />
                  </td>
                )}
                {!isMade && variables.map((name) => <td>{solution?.[name] && <Pieces pieces={jsonTermPieces(solution[name], prefixes)} />}</td>)}
              </tr>
            ));
          })}
        </tbody>
      </table>
    </div>
  );
}
