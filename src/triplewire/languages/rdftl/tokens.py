"""What the words of RDFTL look like, and how its URIs and names are resolved.

Keywords may be written in any case. A URI stands bare or in angle brackets; bare, `ns:name` is a name in a declared
namespace, and what begins with `scheme://` or with a scheme that everybody knows is a URI as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from triplewire.languages.rdftl.syntax import BareName, Comparison, Name
from triplewire.languages.scanner import Scanner, shortened
from triplewire.languages.terms import IRI, LETTERS, LOCAL_NAME, NAME_REST, PREFIX_NAME, TermReader
from triplewire.rdf.terms import RDF, RDFS, XSD, NamedNode

# They belong to every schema, so they always mean the same.
AMBIENT = {"rdf": str(RDF), "rdfs": str(RDFS), "xsd": str(XSD)}
# Schemes without `//` that need no angle brackets; elsewhere `x:y` is taken for a name in a namespace.
_SCHEMES = frozenset({"urn", "tag", "mailto", "info", "did"})


def _word(word: str) -> re.Pattern[str]:
    return re.compile(rf"{word}\b", re.IGNORECASE)


def _call(word: str) -> re.Pattern[str]:
    return re.compile(rf"{word}[ \t\r\n]*\(", re.IGNORECASE)


USING, NAMESPACE, LET = _word("USING"), _word("NAMESPACE"), _word("LET")
RULE, COUPLING, ABORT, PRECEDES = _word("RULE"), _word("COUPLING"), _word("ABORT"), _word("PRECEDES")
TRANSACTION = _word("TRANSACTION")
ON, IF, DO = _word("ON"), _word("IF"), _word("DO")
INSERT, DELETE, UPDATE = _word("INSERT"), _word("DELETE"), _word("UPDATE")
AS, INSTANCE, OF = _word("AS"), _word("INSTANCE"), _word("OF")
AND, OR, NOT, TRUE, FALSE = _word("and"), _word("or"), _word("not"), _word("true"), _word("false")
RESOURCE, TARGET, SOURCE, ELEMENT = _call("resource"), _call("target"), _call("source"), _call("element")

OPEN, CLOSE = re.compile(r"\("), re.compile(r"\)")
OPEN_QUALIFIER, CLOSE_QUALIFIER = re.compile(r"\["), re.compile(r"\]")
SLASH, COMMA, ASSIGN = re.compile(r"/"), re.compile(r","), re.compile(r":=")
ARROW = re.compile(r"->|→")
COMPARISON = re.compile(r"!=|≠|=")
COMPARISONS = {"=": Comparison.EQUAL, "!=": Comparison.DIFFERENT, "≠": Comparison.DIFFERENT}
BETWEEN_ACTIONS = re.compile(r";(?!;)|,")
END = re.compile(r";;")
NEXT_ELEMENT = re.compile(r"seq\+\+", re.IGNORECASE)
WILDCARD = re.compile(f"_(?![{NAME_REST}:]|-(?!>))")
# Nine digits are more elements than a container can have, and few enough for every integer.
NUMBER = re.compile(r"[1-9][0-9]{0,8}(?![0-9])", re.ASCII)

VARIABLE = re.compile(rf"\$([{LETTERS}_][{NAME_REST}]*)(?:\.([{NAME_REST}]*))?")
DOLLAR = re.compile(r"\$")
_QNAME = re.compile(f"({PREFIX_NAME}):({LOCAL_NAME})")
BARE_NAME = re.compile(f"(?!_(?![{NAME_REST}-]))[{LETTERS}_][{NAME_REST}-]*")
BARE_IRI = re.compile(r"[^\s()<>\"{}|^`\\]+")
NAMESPACE_NAME = re.compile(rf"{PREFIX_NAME}(?=\s)")
# What a rule or a transaction is called; any other name stands in quotes.
LABEL = re.compile(f"[{NAME_REST}](?:[{NAME_REST}.:-]*[{NAME_REST}-])?")
QUOTE = re.compile(r"[\"']")


class RdftlTerms(TermReader):
    """Reads URIs, names and strings; `used` are the namespaces that were needed so far."""

    def __init__(self, scanner: Scanner, namespaces: Mapping[str, str]) -> None:
        super().__init__(scanner, _QNAME, {**AMBIENT, **namespaces})
        self.used: set[str] = set()

    def uri(self, wanted: str) -> NamedNode:
        """A URI, in angle brackets or bare."""
        start = self._scanner.offset
        if bracketed := self._scanner.accept(IRI):
            return self._node(self.bracketed(bracketed.group(1), start), start)
        bare = self._scanner.expect(BARE_IRI, wanted).group()
        return self._node(bare if is_whole(bare, self.prefixes) else self._in_namespace(bare, start), start)

    def name(self, wanted: str) -> Name:
        """A class or a property: `ns:Name`, `Name` or `<uri>`."""
        return self.iri() or BareName(self._scanner.expect(BARE_NAME, wanted).group())

    def namespace(self, name: str) -> str:
        """The URI that a namespace stands for; it is always whole."""
        start = self._scanner.offset
        wanted = f"the URI of the namespace {name}"
        found = self._scanner.accept(IRI)
        text = self.bracketed(found.group(1), start) if found else self._scanner.expect(BARE_IRI, wanted).group()
        return self._node(text, start).value

    def resolved(self, prefix: str, local: str, start: int) -> str:
        self._check_declared(prefix, start)
        return super().resolved(prefix, local, start)

    def _in_namespace(self, bare: str, start: int) -> str:
        prefix, colon, local = bare.partition(":")
        if not colon:
            raise self._scanner.problem(wanted="an absolute URI", found=shortened(bare), offset=start)
        self._check_declared(prefix, start, f"; a URI that begins so is written <{shortened(bare)}>")
        return self.prefixes[prefix] + local

    def _check_declared(self, prefix: str, start: int, hint: str = "") -> None:
        self.used.add(prefix)
        if prefix not in self.prefixes:
            known = ", ".join(sorted(self.prefixes))
            raise self._scanner.problem(
                wanted=f"a declared namespace ({shortened(known)})",
                found=f"{shortened(prefix)}:, which no USING NAMESPACE declares{hint}",
                offset=start,
            )


def is_whole(bare: str, namespaces: Mapping[str, str]) -> bool:
    """Whether a bare URI is meant as it stands, and not a name in a namespace."""
    scheme, _, rest = bare.partition(":")
    return rest.startswith("//") or (scheme in _SCHEMES and scheme not in namespaces)
