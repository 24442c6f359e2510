/** N-Quads and SPARQL's JSON terms as Turtle for people: pieces of text with a kind, never markup. */

import type { JsonTerm } from "./answers";

export type Kind = "iri" | "name" | "literal" | "number" | "blank" | "mark" | "keyword" | "space";
export interface Piece {
  kind: Kind;
  text: string;
}

const TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const XSD = "http://www.w3.org/2001/XMLSchema#";
const BARE = new Set(["integer", "decimal", "boolean"].map((name) => XSD + name));
const LOCAL = /^[\p{L}_0-9]([\p{L}\p{N}_.-]*[\p{L}\p{N}_-])?$/u;
const TERM = /<[^>]*>|_:[^\s]+|"(?:[^"\\]|\\.)*"(?:\^\^<[^>]*>|@[A-Za-z0-9-]+)?|<<\(|\)>>|\./g;

export type Prefixes = Record<string, string>;

/** An IRI as short as it gets. */
export function shortIri(iri: string, prefixes: Prefixes): string {
  const longest = Object.entries(prefixes)
    .filter(([, namespace]) => iri.startsWith(namespace))
    .sort((one, other) => other[1].length - one[1].length);
  for (const [prefix, namespace] of longest) {
    const local = iri.slice(namespace.length);
    if (LOCAL.test(local)) return `${prefix}:${local}`;
  }
  return `<${iri}>`;
}

/** A sentence of the node's with each IRI in it shortened. */
export function shortText(text: string, prefixes: Prefixes): string {
  return text.replace(/<([a-z][a-z0-9+.-]*:[^\s<>]*)>/g, (_, iri: string) => shortIri(iri, prefixes));
}

function iriPiece(iri: string, prefixes: Prefixes, isPredicate = false): Piece {
  if (isPredicate && iri === TYPE) return { kind: "keyword", text: "a" };
  const text = shortIri(iri, prefixes);
  return { kind: text.startsWith("<") ? "iri" : "name", text };
}

/** One term of N-Quads as pieces. */
export function termPieces(term: string, prefixes: Prefixes, isPredicate = false): Piece[] {
  if (term.startsWith("<") && !term.startsWith("<<")) return [iriPiece(unescape(term.slice(1, -1)), prefixes, isPredicate)];
  if (term.startsWith("_:")) return [{ kind: "blank", text: term }];
  const literal = /^("(?:[^"\\]|\\.)*")(?:\^\^<([^>]*)>|(@.*))?$/s.exec(term);
  if (!literal) return [{ kind: "mark", text: term }];
  const [, quoted = "", datatype, language] = literal;
  if (datatype && BARE.has(datatype) && /^"[-+.\w]+"$/.test(quoted)) return [{ kind: "number", text: quoted.slice(1, -1) }];
  const text: Piece = { kind: "literal", text: unescape(quoted) };
  if (language) return [text, { kind: "mark", text: language }];
  return datatype ? [text, { kind: "mark", text: "^^" }, iriPiece(datatype, prefixes)] : [text];
}

/** `\u00e9` and the like as the letters that they are; quotes and breaks of lines stay as they are written. */
function unescape(text: string): string {
  return text.replace(/\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})/g, (whole, short: string, long: string) => {
    const code = parseInt(short ?? long, 16);
    return code > 0x1f && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** The triples of one event, grouped by subject and predicate. */
export function turtle(nquads: string, prefixes: Prefixes): Piece[] {
  const subjects = new Map<string, Map<string, string[]>>();
  for (const line of nquads.split("\n")) {
    const terms = termsOf(line);
    if (terms.length < 3) continue;
    const [subject, predicate, object] = terms as [string, string, string];
    const predicates = subjects.get(subject) ?? subjects.set(subject, new Map()).get(subject)!;
    (predicates.get(predicate) ?? predicates.set(predicate, []).get(predicate)!).push(object);
  }
  return [...subjects].flatMap(([subject, predicates]) => subjectPieces(subject, predicates, prefixes));
}

/** The terms of a line; a triple term counts as one. */
export function termsOf(line: string): string[] {
  const found: string[] = [];
  let depth = 0;
  for (const [part] of line.matchAll(TERM)) {
    if (depth > 0) found.push(`${found.pop()} ${part}`);
    else if (part !== ".") found.push(part);
    depth += part === "<<(" ? 1 : part === ")>>" ? -1 : 0;
  }
  return found;
}

function subjectPieces(subject: string, predicates: Map<string, string[]>, prefixes: Prefixes): Piece[] {
  const pieces = termPieces(subject, prefixes);
  const rows = [...predicates].sort(([one], [other]) => Number(other === `<${TYPE}>`) - Number(one === `<${TYPE}>`));
  rows.forEach(([predicate, objects], place) => {
    pieces.push({ kind: "space", text: place === 0 && rows.length === 1 ? " " : "\n    " });
    pieces.push(...termPieces(predicate, prefixes, true), { kind: "space", text: " " });
    objects.forEach((object, number) => {
      if (number) pieces.push({ kind: "mark", text: ", " });
      pieces.push(...termPieces(object, prefixes));
    });
    pieces.push({ kind: "mark", text: place === rows.length - 1 ? " .\n" : " ;" });
  });
  return pieces;
}

/** A term of SPARQL's JSON results. */
export function jsonTermPieces(term: JsonTerm, prefixes: Prefixes): Piece[] {
  if (typeof term.value !== "string") {
    const { subject, predicate, object } = term.value;
    const inner = [subject, predicate, object].flatMap((part) => [...jsonTermPieces(part, prefixes), { kind: "space", text: " " } as Piece]);
    return [{ kind: "mark", text: "<<( " }, ...inner, { kind: "mark", text: ")>>" }];
  }
  if (term.type === "uri") return [iriPiece(term.value, prefixes)];
  if (term.type === "bnode") return [{ kind: "blank", text: `_:${term.value}` }];
  if (term.datatype && BARE.has(term.datatype)) return [{ kind: "number", text: term.value }];
  const text: Piece = { kind: "literal", text: JSON.stringify(term.value) };
  if (term["xml:lang"]) return [text, { kind: "mark", text: `@${term["xml:lang"]}` }];
  return term.datatype ? [text, { kind: "mark", text: "^^" }, iriPiece(term.datatype, prefixes)] : [text];
}
