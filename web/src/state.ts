/** What screens share: where we are, who we are, and figures that are asked for once a second. */

import { useEffect, useRef, useState } from "preact/hooks";

import type { Figures, Vocabulary, WhoAmI } from "./answers";
import { Problem, get, session } from "./api";

export interface Sample {
  time: number;
  events: number;
  notifications: number;
  tested: number;
}

const KEPT_SAMPLES = 300;
const FIGURES_EVERY = 1_000;

/** A value that components subscribe to. */
export class Shared<T> {
  private listeners = new Set<(value: T) => void>();
  constructor(private current: T) {}
  get value() {
    return this.current;
  }
  set value(next: T) {
    this.current = next;
    for (const listener of [...this.listeners]) listener(next);
  }
  use(): T {
    const [value, set] = useState(this.current);
    useEffect(() => {
      set(this.current);
      const listener = (next: T) => set(() => next);
      this.listeners.add(listener);
      return () => void this.listeners.delete(listener);
    }, []);
    return value;
  }
}

export const me = new Shared<WhoAmI | null>(null);
export const mustSignIn = new Shared(false);
export const isOffline = new Shared(false);
export const figures = new Shared<Figures | null>(null);
export const samples = new Shared<Sample[]>([]);
// Sentences of the node's speak of these, whatever was published.
const ALWAYS = {
  rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
  rdfs: "http://www.w3.org/2000/01/rdf-schema#",
  xsd: "http://www.w3.org/2001/XMLSchema#",
};
const NOTHING_SEEN: Vocabulary = { prefixes: ALWAYS, classes: [], properties: [], events: 0 };
export const vocabulary = new Shared<Vocabulary>(NOTHING_SEEN);
export const said = new Shared("");

/** Tell screen readers, and everybody at the foot of the page for a while. */
let silence: ReturnType<typeof setTimeout> | undefined;
export function say(text: string) {
  said.value = text;
  clearTimeout(silence);
  silence = setTimeout(() => (said.value = ""), 8_000);
}

export async function enter(): Promise<void> {
  me.value = await get<WhoAmI>("/me");
  mustSignIn.value = false;
  if (me.value.may_read) void learnVocabulary();
}

export function leave() {
  session.set(null);
  me.value = null;
  figures.value = null;
  samples.value = [];
  vocabulary.value = NOTHING_SEEN;
  mustSignIn.value = true;
}

export async function learnVocabulary() {
  try {
    const found = await get<Vocabulary>("/vocabulary");
    vocabulary.value = { ...found, prefixes: { ...ALWAYS, ...found.prefixes } };
  } catch (error) {
    if (!(error instanceof Problem)) isOffline.value = true;
  }
}

/** Ask for the figures now and every second, unless nobody looks. */
export function keepFigures(): () => void {
  let last: Figures | null = null;
  let isAsking = false;
  const ask = async () => {
    if (isAsking || document.hidden || !me.value) return;
    isAsking = true;
    try {
      const found = await get<Figures>("/overview");
      isOffline.value = false;
      if (last && found.time > last.time && found.uptime > last.uptime) note(last, found);
      last = figures.value = found;
    } catch (error) {
      isOffline.value = !(error instanceof Problem);
    } finally {
      isAsking = false;
    }
  };
  void ask();
  const timer = setInterval(ask, FIGURES_EVERY);
  return () => clearInterval(timer);
}

function note(last: Figures, found: Figures) {
  const seconds = found.time - last.time;
  const sample = {
    time: found.time,
    events: (found.published - last.published) / seconds,
    notifications: (found.matched - last.matched) / seconds,
    tested: (found.candidates - last.candidates) / seconds,
  };
  samples.value = [...samples.value.slice(1 - KEPT_SAMPLES), sample];
}

/** The place that the address names: `#/subscriptions?owner=a&name=b`. */
export interface Place {
  screen: string;
  parameters: URLSearchParams;
}

export function placeOf(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  return { screen: path || "overview", parameters: new URLSearchParams(query) };
}

export function go(screen: string, parameters: Record<string, string> = {}) {
  const query = new URLSearchParams(parameters).toString();
  location.hash = `#/${screen}${query ? `?${query}` : ""}`;
}

export function usePlace(): Place {
  const [place, set] = useState(placeOf(location.hash));
  useEffect(() => {
    const changed = () => set(placeOf(location.hash));
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return place;
}

export interface Asked<T> {
  found: T | null;
  problem: string | null;
  isLoading: boolean;
  again: () => void;
}

/** Ask the node for something, again when what is asked changes, and every so often if wanted. */
export function useAnswer<T>(ask: (signal: AbortSignal) => Promise<T>, by: unknown[], every = 0): Asked<T> {
  const [answer, set] = useState<{ found: T | null; problem: string | null; isLoading: boolean }>({
    found: null,
    problem: null,
    isLoading: true,
  });
  const [round, setRound] = useState(0);
  const asking = useRef(ask);
  asking.current = ask;
  useEffect(() => {
    const ending = new AbortController();
    asking
      .current(ending.signal)
      .then((found) => set({ found, problem: null, isLoading: false }))
      .catch((error: unknown) => {
        if (!ending.signal.aborted) set((was) => ({ ...was, problem: problemText(error), isLoading: false }));
      });
    const timer = every ? setTimeout(() => setRound(round + 1), every) : undefined;
    return () => (ending.abort(), clearTimeout(timer));
  }, [...by, round]);
  return { ...answer, again: () => setRound((one) => one + 1) };
}

export function problemText(error: unknown): string {
  return error instanceof Problem ? error.detail : "The node does not answer.";
}
