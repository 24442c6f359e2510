/** How the languages look, word by word. What is right or wrong in them, the node says. */

import type { StreamParser } from "@codemirror/language";
import { sparql } from "@codemirror/legacy-modes/mode/sparql";

export type LanguageName = "sparql" | "formula" | "graph" | "rdftl" | "turtle";

const SPARQL = "SELECT ASK CONSTRUCT WHERE PREFIX FILTER OPTIONAL UNION MINUS GRAPH BIND VALUES DISTINCT GROUP ORDER LIMIT CONTAINS STRSTARTS STRENDS IN NOT EXISTS COUNT a".split(" ");
const RDFTL = "ON INSERT DELETE OF IF DO AS INSTANCE RULE PRECEDES ABORT TRANSACTION LET IN AND OR NOT True resource triple WHERE COUPLING IMMEDIATE DEFERRED".split(" ");

function words(keywords: string[], comment: RegExp): StreamParser<unknown> {
  const known = new Set(keywords.map((word) => word.toLowerCase()));
  return {
    token(stream) {
      if (stream.match(comment)) return "comment";
      if (stream.match(/^<[^<>\s]*>/) || stream.match(/^[\w-]*:[\w.-]+/)) return "atom";
      if (stream.match(/^"(?:[^"\\]|\\.)*"?/) || stream.match(/^'(?:[^'\\]|\\.)*'?/)) return "string";
      if (stream.match(/^[?$][\w]+/)) return "variableName.special";
      if (stream.match(/^[-+]?\d[\d.]*/)) return "number";
      const word = stream.match(/^[A-Za-z_]\w*/);
      if (word && word !== true) return known.has(word[0]!.toLowerCase()) ? "keyword" : null;
      stream.next();
      return null;
    },
  };
}

export const languages: Record<LanguageName, { mediaType: string; parser: StreamParser<unknown>; keywords: string[] }> = {
  sparql: { mediaType: "application/sparql-query", parser: sparql as StreamParser<unknown>, keywords: SPARQL },
  formula: { mediaType: "text/x-triplewire-formula", parser: words(["and", "or", "not"], /^#.*/), keywords: [] },
  graph: { mediaType: "text/x-triplewire-graph", parser: words([], /^#.*/), keywords: [] },
  rdftl: { mediaType: "text/x-triplewire-rdftl", parser: words(RDFTL, /^#.*/), keywords: RDFTL },
  turtle: { mediaType: "text/turtle", parser: words(["a", "@prefix", "prefix"], /^#.*/), keywords: [] },
};
