/** The frame around the screens: who is signed in, where one can go, and what was just said. */

import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { WhoAmI } from "./answers";
import { Problem, session } from "./api";
import { DeadLetters } from "./screens/deadletters";
import { History } from "./screens/history";
import { Network } from "./screens/network";
import { Overview } from "./screens/overview";
import { Rules } from "./screens/rules";
import { SignIn } from "./screens/signin";
import { SubscriptionList, ViewList } from "./screens/standing";
import { TryQuery } from "./screens/try";
import { enter, isOffline, keepFigures, leave, me, mustSignIn, said, usePlace } from "./state";
import { nextTheme, theme } from "./theme";
import { words } from "./words";

type ScreenName = keyof typeof words.screens;
const SCREENS: { name: ScreenName; icon: string; screen: ComponentType; may: (who: WhoAmI) => boolean }[] = [
  { name: "overview", icon: "M3 13h4l3-8 4 14 3-8h4", screen: Overview, may: () => true },
  { name: "try", icon: "M4 5h16v14H4zM8 10l3 2.5L8 15M13 15h4", screen: TryQuery, may: (who) => who.may_read },
  { name: "subscriptions", icon: "M4 6h16M4 12h16M4 18h10", screen: SubscriptionList, may: (who) => who.may_read },
  { name: "views", icon: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6", screen: ViewList, may: (who) => who.may_read_everything },
  { name: "rules", icon: "M6 4v6a4 4 0 0 0 4 4h8M14 10l4 4-4 4M6 14v6", screen: Rules, may: (who) => who.may_read_everything && who.may_publish },
  { name: "letters", icon: "M3 6h18v12H3zM3 7l9 7 9-7", screen: DeadLetters, may: (who) => who.may_read },
  { name: "history", icon: "M4 20V10M9 20V4M14 20v-8M19 20V7", screen: History, may: (who) => who.may_read },
  { name: "network", icon: "M12 3l8 5v8l-8 5-8-5V8zM12 12l8-4M12 12v9M12 12L4 8", screen: Network, may: (who) => who.is_admin },
];

export function App() {
  const who = me.use();
  const needsSecret = mustSignIn.use();
  const [problem, setProblem] = useState(false);
  useEffect(() => {
    session.onRefusal(() => leave());
    const begin = () =>
      enter()
        .then(() => setProblem(false))
        .catch((error: unknown) => {
          if (error instanceof Problem && error.status === 401) return;
          setProblem(true);
          setTimeout(begin, 2_000);
        });
    begin();
    return keepFigures();
  }, []);
  if (needsSecret) return <SignIn />;
  if (!who) return <p class="centred muted">{problem ? words.offline : words.loading}</p>;
  return <Frame who={who} />;
}

function Frame(props: { who: WhoAmI }) {
  const place = usePlace();
  const offline = isOffline.use();
  const message = said.use();
  const main = useRef<HTMLElement>(null);
  const seen = useRef(place.screen);
  const allowed = SCREENS.filter(({ may }) => may(props.who));
  const here = allowed.find(({ name }) => name === place.screen) ?? allowed[0]!;
  useEffect(() => {
    document.title = `${words.screens[here.name]} · ${words.name}`;
    // A screen reader hears where it is now; nobody loses the focus at the first load.
    if (seen.current !== place.screen) main.current?.querySelector("h1")?.focus({ preventScroll: true });
    if (seen.current !== place.screen) scrollTo(0, 0);
    seen.current = place.screen;
  }, [here.name, place.screen]);
  return (
    <div class="frame">
      <a class="skip" href={location.hash || "#/overview"} onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        {words.skip}
      </a>
      <Side who={props.who} here={here.name} screens={allowed.map(({ name, icon }) => ({ name, icon }))} />
      <main ref={main} tabIndex={-1}>
        {offline && (
          <p class="notice bad" role="alert">
            {words.offline}
          </p>
        )}
        <here.screen />
      </main>
      <div class={`toast ${message ? "shown" : ""}`} role="status">
        {message}
      </div>
    </div>
  );
}

function Side(props: { who: WhoAmI; here: ScreenName; screens: { name: ScreenName; icon: string }[] }) {
  const mode = theme.use();
  const [isOpen, setOpen] = useState(false);
  return (
    <header class={`side ${isOpen ? "open" : ""}`}>
      <div class="brand">
        <Logo />
        <span>{words.name}</span>
        <button class="menu quiet" aria-expanded={isOpen} aria-controls="navigation" onClick={() => setOpen(!isOpen)}>
          {words.menu}
        </button>
      </div>
      <nav id="navigation" aria-label={words.navigation}>
        {props.screens.map(({ name, icon }) => (
          <a href={`#/${name}`} aria-current={name === props.here ? "page" : undefined} onClick={() => setOpen(false)}>
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d={icon} />
            </svg>
            {words.screens[name]}
          </a>
        ))}
      </nav>
      <div class="who">
        <p>{props.who.is_open ? words.openNode : words.signedInAs(props.who.name)}</p>
        <p class="muted" title={props.who.node}>
          {words.version(props.who.version)}
        </p>
        <button class="quiet" onClick={nextTheme}>
          {words.theme[mode]}
        </button>
        {session.hasSecret && (
          <button class="quiet" onClick={leave}>
            {words.signOut}
          </button>
        )}
      </div>
    </header>
  );
}

export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" />
      <path d="M5 20h6l4-10 4 14 3-8h5" />
      <circle cx="15" cy="10" r="2.4" />
    </svg>
  );
}
