/** What a subscription says, as it says it; of a flood the newest, with the number of all. */

import { useEffect, useRef, useState } from "preact/hooks";

import type { Notification } from "../answers";
import { followAlways, segment } from "../api";
import { problemText, say } from "../state";
import { number, words } from "../words";
import { Badge, Empty, Panel } from "./basics";
import { MatchTable } from "./solutions";
import { unsubscribe } from "../screens/try";

const KEPT = 12;
const PAINT_EVERY = 400;
const text = words.try;

export function LiveMatches(props: { name: string; owner: string; onEnd: () => void }) {
  const [shown, setShown] = useState<{ matches: Notification[]; count: number }>({ matches: [], count: 0 });
  const last = useRef(0);
  useEffect(() => {
    // What comes is collected, and painted a few times a second at most.
    let fresh: Notification[] = [];
    let count = 0;
    const paint = setInterval(() => {
      if (!fresh.length) return;
      const newest = fresh.toReversed();
      fresh = [];
      setShown((was) => ({ matches: [...newest, ...was.matches].slice(0, KEPT), count }));
    }, PAINT_EVERY);
    const path = () => `/subscriptions/${segment(props.name)}/notifications${last.current ? `?after=${last.current}` : ""}`;
    const take = (data: string) => {
      const found = JSON.parse(data) as Notification;
      if (!found.event) return;
      last.current = found.position;
      count += 1;
      fresh = [...fresh.slice(1 - KEPT), found];
    };
    const end = followAlways(path, take, () => {});
    return () => (clearInterval(paint), end());
  }, [props.name]);
  const end = async () => {
    try {
      await unsubscribe("subscriptions", props.name, props.owner);
      props.onEnd();
    } catch (error) {
      say(problemText(error));
    }
  };
  return (
    <Panel
      title={text.live}
      class="live"
      aside={
        <div class="actions">
          <Badge tone="good">{number(shown.count)}</Badge>
          <button onClick={end}>{text.unsubscribe}</button>
        </div>
      }
    >
      <p>{text.subscribed(props.name)}</p>
      {shown.matches.length === 0 && <Empty>{text.noMatchesYet}</Empty>}
      <MatchTable matches={shown.matches.map((match) => ({ ...match, solutions: match.solutions ?? [], count: match.solutions?.length ?? 0 }))} />
    </Panel>
  );
}
