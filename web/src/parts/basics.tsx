/** Small parts that every screen uses. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { Piece } from "../turtle";
import type { Asked } from "../state";
import { words } from "../words";

export function Screen(props: { title: string; about: string; actions?: ComponentChildren; children: ComponentChildren }) {
  return (
    <>
      <header class="screen-head">
        <div>
          <h1 tabIndex={-1}>{props.title}</h1>
          <p class="muted">{props.about}</p>
        </div>
        {props.actions && <div class="actions">{props.actions}</div>}
      </header>
      {props.children}
    </>
  );
}

export function Panel(props: { title: string; aside?: ComponentChildren; children: ComponentChildren; class?: string }) {
  return (
    <section class={`panel ${props.class ?? ""}`} aria-label={props.title}>
      <header class="panel-head">
        <h2>{props.title}</h2>
        {props.aside}
      </header>
      {props.children}
    </section>
  );
}

/** Turtle, term by term: text nodes only, whatever was published. */
export function Pieces(props: { pieces: Piece[] }) {
  return (
    <>
      {props.pieces.map((piece) => (piece.kind === "space" ? piece.text : <span class={`t-${piece.kind}`}>{piece.text}</span>))}
    </>
  );
}

export function Badge(props: { tone?: "good" | "warn" | "bad" | "calm"; children: ComponentChildren }) {
  return <span class={`badge ${props.tone ?? "calm"}`}>{props.children}</span>;
}

/** What was asked for, or why it is not there. */
export function Answered<T>(props: { of: Asked<T>; children: (found: T) => ComponentChildren }) {
  const { found, problem, isLoading, again } = props.of;
  if (problem)
    return (
      <div class="notice bad" role="alert">
        <p>{problem}</p>
        <button onClick={again}>{words.retry}</button>
      </div>
    );
  if (found === null) return <p class="muted empty">{isLoading ? words.loading : ""}</p>;
  return <>{props.children(found)}</>;
}

export function Empty(props: { children: ComponentChildren }) {
  return <p class="muted empty">{props.children}</p>;
}

/** A modal dialog: the browser keeps the focus inside, and Escape closes it. */
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog ref={dialog} aria-label={props.title} onClose={props.onClose} onCancel={props.onClose}>
      <header class="panel-head">
        <h2>{props.title}</h2>
        <button class="quiet" onClick={props.onClose} aria-label={words.close}>
          ✕
        </button>
      </header>
      {props.children}
    </dialog>
  );
}

/** Something that cannot be undone is asked for twice. */
export function Confirm(props: { title: string; about: string; action: string; onDone: () => void; onClose: () => void }) {
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <p>{props.about}</p>
      <footer class="actions">
        <button onClick={props.onClose}>{words.cancel}</button>
        <button class="danger" onClick={() => (props.onDone(), props.onClose())}>
          {props.action}
        </button>
      </footer>
    </Dialog>
  );
}

/** A field that tells what was typed after a short rest. */
export function SearchField(props: { hint: string; value: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(props.value);
  useEffect(() => {
    const timer = setTimeout(() => text !== props.value && props.onChange(text), 250);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      type="search"
      aria-label={words.search}
      placeholder={props.hint}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}

export function Pager(props: { offset: number; limit: number; total: number; onMove: (offset: number) => void }) {
  const { offset, limit, total } = props;
  return (
    <nav class="pager" aria-label={words.page(offset + 1, Math.min(offset + limit, total), total)}>
      <button disabled={offset === 0} onClick={() => props.onMove(Math.max(0, offset - limit))}>
        {words.previous}
      </button>
      <span class="muted" role="status">
        {words.page(offset + 1, Math.min(offset + limit, total), total)}
      </span>
      <button disabled={offset + limit >= total} onClick={() => props.onMove(offset + limit)}>
        {words.next}
      </button>
    </nav>
  );
}

/** A term and what it is, in two columns. */
export function Facts(props: { facts: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {props.facts.map(([term, value]) => (
        <div>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
