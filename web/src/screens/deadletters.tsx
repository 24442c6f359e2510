/** Dead letters: notifications that were given up, to be sent again or forgotten. */

import { useEffect, useState } from "preact/hooks";

import type { DeadLetter } from "../answers";
import { act, get } from "../api";
import { Answered, Confirm, Empty, Panel, Screen, SearchField } from "../parts/basics";
import { problemText, say, useAnswer, vocabulary } from "../state";
import { shortIri } from "../turtle";
import { number, words } from "../words";

const text = words.letters;
const PAGE = 50;

export function DeadLetters() {
  const [search, setSearch] = useState("");
  const [before, setBefore] = useState<number[]>([]);
  const after = before.at(-1) ?? 0;
  const page = useAnswer((signal) => get<{ dead_letters: DeadLetter[]; next: number | null }>("/dead-letters", { search, after, limit: PAGE }, signal), [search, after]);
  useEffect(() => setBefore([]), [search]);
  const next = page.found?.next ?? null;
  return (
    <Screen title={words.screens.letters} about={text.about} actions={<SearchField hint={text.searchHint} value={search} onChange={setSearch} />}>
      <Panel
        title={words.screens.letters}
        aside={
          <nav class="pager" aria-label={words.screens.letters}>
            <button disabled={before.length === 0} onClick={() => setBefore(before.slice(0, -1))}>
              {words.previous}
            </button>
            <button disabled={next === null} onClick={() => next !== null && setBefore([...before, next])}>
              {words.next}
            </button>
          </nav>
        }
      >
        <Answered of={page}>
          {(found) =>
            found.dead_letters.length ? (
              <Rows letters={found.dead_letters} onChange={page.again} />
            ) : (
              <Empty>{search ? words.lists.nothingFound : text.empty}</Empty>
            )
          }
        </Answered>
      </Panel>
    </Screen>
  );
}

function Rows(props: { letters: DeadLetter[]; onChange: () => void }) {
  const { prefixes } = vocabulary.use();
  const [forgetting, setForgetting] = useState<number | null>(null);
  const done = async (work: Promise<void>, words?: string) => {
    try {
      await work;
      if (words) say(words);
      props.onChange();
    } catch (error) {
      say(problemText(error));
    }
  };
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={words.screens.letters}>
      <table>
        <thead>
          <tr>
            <th scope="col">{text.subscription}</th>
            <th scope="col">{text.event}</th>
            <th scope="col" class="number wide">
              {text.position}
            </th>
            <th scope="col" class="number wide">
              {text.attempts}
            </th>
            <th scope="col" class="wide">
              {text.reason}
            </th>
            <th scope="col">
              <span class="hidden">{text.sendAgain}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {props.letters.map((letter) => (
            <tr key={letter.id}>
              <th scope="row">{letter.subscription ?? text.gone}</th>
              <td class="mono clip">{shortIri(letter.event, prefixes)}</td>
              <td class="number wide">{number(letter.position)}</td>
              <td class="number wide">{letter.attempts}</td>
              <td class="wide reason">{letter.reason}</td>
              <td class="row-actions">
                <button onClick={() => done(act("POST", `/dead-letters/${letter.id}/delivery`), text.sent(letter.id))}>{text.sendAgain}</button>
                <button class="quiet" onClick={() => setForgetting(letter.id)}>
                  {text.forget}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {forgetting !== null && (
        <Confirm
          title={text.forgetTitle}
          about={text.forgetAbout}
          action={text.forget}
          onDone={() => void done(act("DELETE", `/dead-letters/${forgetting}`))}
          onClose={() => setForgetting(null)}
        />
      )}
    </div>
  );
}
