/** The editor of queries and rules: CodeMirror inside a shadow root, where its styles are adopted sheets.
 *
 * So the page's policy can forbid inline styles. Completion knows what the node has seen.
 */

import { autocompletion, closeBrackets, completionKeymap, type Completion, type CompletionContext } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState, Prec } from "@codemirror/state";
import { EditorView, drawSelection, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";

import { vocabulary } from "../state";
import { shortIri } from "../turtle";
import { languages, type LanguageName } from "./languages";

export interface Mistake {
  text: string;
  line: number | null;
  column: number | null;
}

const style = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--t-keyword)", fontWeight: "600" },
  { tag: [tags.variableName, tags.special(tags.variableName)], color: "var(--t-variable)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--t-literal)" },
  { tag: [tags.number, tags.bool], color: "var(--t-number)" },
  { tag: [tags.atom, tags.propertyName, tags.url], color: "var(--t-name)" },
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
]);

const look = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--field)", fontSize: "13.5px", height: "100%" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--ink)", padding: "10px 0" },
  ".cm-gutters": { backgroundColor: "var(--field)", color: "var(--muted)", border: "none" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--selection)",
  },
  ".cm-tooltip": { backgroundColor: "var(--surface)", color: "var(--ink)", border: "1px solid var(--line-strong)", borderRadius: "6px" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { color: "inherit", opacity: "0.8", fontStyle: "normal" },
  ".cm-diagnostic": { padding: "6px 10px" },
  ".cm-placeholder": { color: "var(--muted)" },
});

/** Prefixes, classes and properties that the node has seen, and the words of the language. */
function completions(language: LanguageName) {
  return (context: CompletionContext) => {
    const word = context.matchBefore(/[\w:.-]+/);
    if (!word && !context.explicit) return null;
    const seen = vocabulary.value;
    const terms = (kind: string, list: { iri: string; count: number }[]): Completion[] =>
      list
        .map(({ iri, count }) => ({ label: shortIri(iri, seen.prefixes), detail: count ? `× ${count}` : "", type: kind }))
        .filter(({ label }) => !label.startsWith("<"));
    const prefixes = Object.entries(seen.prefixes).map(([prefix, iri]) => ({ label: `${prefix}:`, detail: iri, type: "namespace" }));
    const keywords = languages[language].keywords.map((label) => ({ label, type: "keyword" }));
    return {
      from: word?.from ?? context.pos,
      options: [...terms("property", seen.properties), ...terms("class", seen.classes), ...prefixes, ...keywords].map((option) => ({
        ...option,
        apply: (view: EditorView, completion: Completion, from: number, to: number) => insert(view, completion, from, to, language),
      })),
      validFor: /^[\w:.-]*$/,
    };
  };
}

/** Insert a name; in SPARQL, declare its prefix if the query does not yet. */
function insert(view: EditorView, completion: Completion, from: number, to: number, language: LanguageName) {
  const text = completion.label;
  const prefix = /^([\w-]+):/.exec(text)?.[1];
  const iri = prefix && vocabulary.value.prefixes[prefix];
  const query = view.state.doc.toString();
  const line = view.state.doc.lineAt(from).text;
  const changes = [{ from, to, insert: text }];
  let moved = from + text.length;
  if (iri && language === "sparql" && !new RegExp(`PREFIX\\s+${prefix}:`, "i").test(query)) {
    const declaration = `${prefix}: <${iri}>`;
    if (/^\s*PREFIX\s+[\w:-]*$/i.test(line)) {
      changes[0] = { from, to, insert: declaration };
      moved = from + declaration.length;
    } else {
      changes.unshift({ from: 0, to: 0, insert: `PREFIX ${declaration}\n` });
      moved += declaration.length + 8;
    }
  }
  view.dispatch({ changes, selection: { anchor: moved }, userEvent: "input.complete" });
}

/** What replaces a selection is put there by CodeMirror: a browser would keep the look of what was there, by an inline
 * style, which the page's policy forbids. */
function replaceSelection(event: InputEvent, view: EditorView): boolean {
  const { from, to, empty } = view.state.selection.main;
  if (event.inputType !== "insertText" || !event.data || empty || view.composing) return false;
  const text = event.data;
  const inserted = () => view.state.update(view.state.replaceSelection(text), { userEvent: "input.type", scrollIntoView: true });
  event.preventDefault();
  if (!view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, inserted))) view.dispatch(inserted());
  return true;
}

/** What is typed belongs to the editor; whoever wants another text in it makes another one, by its `key`. */
export function Editor(props: {
  label: string;
  language: LanguageName;
  initial: string;
  hint?: string;
  mistake?: Mistake | null;
  onChange: (text: string) => void;
  onRun?: () => void;
}) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const last = useRef(props);
  last.current = props;
  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: "open" });
    const made = new EditorView({ root, parent: root, state: EditorState.create({ doc: props.initial, extensions: extensions() }) });
    view.current = made;
    return () => made.destroy();
  }, []);
  const languageOf = (name: LanguageName) => [
    StreamLanguage.define(languages[name].parser),
    autocompletion({ override: [completions(name)], icons: false }),
    EditorView.contentAttributes.of({ "aria-label": props.label, "aria-multiline": "true" }),
  ];
  const extensions = () => [
    Prec.highest(keymap.of([{ key: "Mod-Enter", run: () => (last.current.onRun?.(), true) }])),
    EditorView.domEventHandlers({ beforeinput: replaceSelection }),
    lineNumbers(),
    history(),
    drawSelection(),
    bracketMatching(),
    closeBrackets(),
    lintGutter(),
    EditorView.lineWrapping,
    placeholder(props.hint ?? ""),
    ...languageOf(props.language),
    syntaxHighlighting(style),
    look,
    keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) last.current.onChange(update.state.doc.toString());
    }),
  ];
  useEffect(() => view.current?.dispatch(setDiagnostics(view.current.state, marks(view.current, props.mistake))), [props.mistake]);
  return <div class="editor" ref={host} />;
}

/** Where a mistake is; without a place, the whole text is meant, and the words below it say so. */
function marks(view: EditorView, mistake: Mistake | null | undefined) {
  if (!mistake || mistake.line === null) return [];
  const line = view.state.doc.line(Math.min(Math.max(1, mistake.line), view.state.doc.lines));
  const from = Math.min(line.from + Math.max(0, (mistake.column ?? 1) - 1), line.to);
  const rest = /^[^\s]+/.exec(view.state.doc.sliceString(from, line.to))?.[0].length ?? 0;
  const start = rest ? from : Math.max(line.from, from - 1);
  return [{ from: start, to: Math.max(start + 1, from + rest) > line.to ? line.to : Math.max(start + 1, from + rest), severity: "error" as const, message: mistake.text }];
}
