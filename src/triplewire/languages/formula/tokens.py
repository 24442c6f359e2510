"""What the parts of a formula look like, and how its qualified names are resolved."""

from __future__ import annotations

import re

from triplewire.algebra.constraints import Comparator
from triplewire.languages.scanner import Scanner
from triplewire.languages.terms import LOCAL_NAME, PREFIX_NAME, TermReader
from triplewire.rdf.terms import RDF, RDFS, XSD

# The paper's own three, and the two that belong to RDF.
DEFAULT_PREFIXES = {
    "dc": "http://purl.org/dc/elements/1.1/",
    "rdf": str(RDF),
    "isl": "http://www.intelligence.tuc.gr/publications/",
    "rdfs": str(RDFS),
    "xsd": str(XSD),
}

# Capitals begin variables, so `X:t(` is a head and its first triple, never a qualified name.
_PREFIX = f"(?![A-Z])({PREFIX_NAME})"
QNAME = re.compile(f"{_PREFIX}:({LOCAL_NAME})")
PREFIX_KEYWORD = re.compile(r"@prefix\b")
PREFIX_LABEL = re.compile(f"{_PREFIX}[ \t]*:")
FULL_STOP = re.compile(r"\.")

VARIABLE = re.compile(r"[A-Z][A-Za-z0-9_]*")
TRIPLE = re.compile(r"t[ \t\r\n]*\(")
COLON = re.compile(r":")
COMMA = re.compile(r",")
OPEN = re.compile(r"\(")
CLOSE = re.compile(r"\)")
AND = re.compile(r"\^|∧|&&|and\b")
OR = re.compile(r"∨|\|\||(?:v|or)\b")
CONTAINS = re.compile(r"⊒|(?:contains|sqsupseteq)\b")
COMPARATOR = re.compile(r"<=|>=|!=|[=<>≤≥≠]")

COMPARATORS = {c.value: c for c in Comparator} | {
    "≤": Comparator.AT_MOST,
    "≥": Comparator.AT_LEAST,
    "≠": Comparator.NOT_EQUAL,
}


class FormulaTerms(TermReader):
    """Reads terms; inside angle brackets a name with a known prefix is a qualified name."""

    def __init__(self, scanner: Scanner) -> None:
        super().__init__(scanner, QNAME, DEFAULT_PREFIXES)

    def bracketed(self, inside: str, start: int) -> str:
        prefix, _, local = inside.partition(":")
        # No local name begins with two slashes: `<http://...>` stays what it is, even where http: is declared.
        if prefix in self.prefixes and not local.startswith("//"):
            return self.prefixes[prefix] + super().bracketed(local, start)
        return super().bracketed(inside, start)
