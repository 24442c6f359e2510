"""Entities that an RDF/XML document defines for itself, written out, and its DOCTYPE removed (row A4).

Ontology editors abbreviate namespaces that way: `<!ENTITY owl "http://www.w3.org/2002/07/owl#">`. The RDF parser would
expand such references without a bound, so it never sees one. Only text is allowed in an entity: no markup, nothing of
another file, nothing that makes further declarations.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Unpack
from xml.parsers.expat import ExpatError, ParserCreate

from triplewire.errors import Facts, LimitExceeded, RefusedFeature
from triplewire.rdf.documents import Document
from triplewire.rdf.limits import Limits, exceeded
from triplewire.rdf.parsing.positions import place_of, problem_at_offset

_DOCTYPE = b"<!DOCTYPE"
_PREDEFINED = frozenset((b"lt", b"gt", b"amp", b"quot", b"apos"))
# Comments, CDATA and processing instructions are passed over; one that is never closed ends the search.
_REFERENCE = re.compile(
    rb"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z)|&(?P<name>[^\s;&<#]{1,256});", re.DOTALL
)
_NESTED = re.compile(rb"&(?P<name>[^\s;&<#]{1,256});|[\"'>]")
_QUOTED = {b'"': b"&quot;", b"'": b"&apos;", b">": b"&gt;"}


def without_entities(document: Document, limits: Limits) -> Document:
    """The document with its entities written out and, for the sake of line numbers, empty lines for its DOCTYPE."""
    if _DOCTYPE not in document.data:
        return document
    prolog = _Prolog(document)
    if prolog.end is None:
        return document
    data = document.data
    text = _Expansion(document, prolog.entities, limits).of(data[prolog.end :], prolog.end)
    blank = b"\n" * data.count(b"\n", prolog.start, prolog.end)
    return Document(data[: prolog.start] + blank + text, document.source, document.path)


class _Prolog:
    """What stands before the first element: the DOCTYPE's place, and what it defines.

    Expat goes no further, so that it never expands anything: a reference is only followed in elements and in defaults
    of attributes, which are refused before it sees them.
    """

    def __init__(self, document: Document) -> None:
        self.start = 0
        self.end: int | None = None
        self.entities: dict[bytes, bytes] = {}
        self._document = document
        self._parser = parser = ParserCreate("utf-8")
        parser.StartDoctypeDeclHandler = self._begin
        parser.EndDoctypeDeclHandler = self._close
        parser.EntityDeclHandler = self._declare
        parser.StartElementHandler = self._stop
        offset = document.data.find(b"<!ATTLIST")
        if offset >= 0:
            raise self._refused("a DOCTYPE may define entities only", offset=offset, found="attributes")
        try:
            parser.Parse(document.data, True)
        except (_PrologEndError, ExpatError):
            # The whole document is checked afterwards, and that check has the words for what is malformed.
            return

    def _begin(self, _name: str, system: str | None, public: str | None, _has_subset: int) -> None:
        # Expat calls when it has read the name.
        self.start = self._document.data.rindex(_DOCTYPE, 0, self._parser.CurrentByteIndex)
        if system is not None or public is not None:
            raise self._refused("a DOCTYPE that names another file is refused", found=repr(system or public))

    def _close(self) -> None:
        self.end = self._document.data.index(b">", self._parser.CurrentByteIndex) + 1

    def _declare(self, name: str, is_parameter: int, value: str | None, _base: object, *elsewhere: str | None) -> None:
        if is_parameter:
            raise self._refused("parameter entities are refused", found=f"%{name};")
        if value is None:
            raise self._refused("entities of another file are refused", found=f"&{name}; as {elsewhere[0]!r}")
        if "<" in value:
            raise self._refused(wanted="a DOCTYPE with entities of text only", found=f"markup in &{name};")
        self.entities.setdefault(name.encode(), value.encode())

    def _stop(self, *_: object) -> None:
        raise _PrologEndError

    def _refused(
        self, summary: str | None = None, *, offset: int | None = None, **facts: Unpack[Facts]
    ) -> RefusedFeature:
        place = place_of(self._document, self._parser.CurrentByteIndex if offset is None else offset)
        return RefusedFeature("DOCTYPE", summary, **facts).standing_at(*place).located_in(self._document.source)


class _PrologEndError(Exception):
    """The prolog ends here."""


class _Expansion:
    """Writes references out. What an entity comes to is computed once; all that is written has one bound."""

    def __init__(self, document: Document, entities: Mapping[bytes, bytes], limits: Limits) -> None:
        self._document = document
        self._entities = entities
        self._limits = limits
        self._known: dict[bytes, bytes] = {}
        self._open: list[bytes] = []
        self._written = 0

    def of(self, text: bytes, offset: int) -> bytes:
        """The text that stands at an offset of the document, without references to its own entities."""
        return _REFERENCE.sub(lambda match: self._instead(match, offset + match.start()), text)

    def _instead(self, match: re.Match[bytes], offset: int) -> bytes:
        name = match["name"]
        if name is None:
            # Inside an attribute, a quote of an entity must not end the attribute.
            return _QUOTED.get(match.group(), match.group())
        if name in _PREDEFINED:
            return match.group()
        found = self._entity(name, offset)
        self._written += len(found)
        if self._written > self._limits.document_bytes:
            raise self._exceeded("document_bytes", "entities come to too much text", offset)
        return found

    def _entity(self, name: bytes, offset: int) -> bytes:
        known = self._known.get(name)
        if known is not None:
            return known
        if name not in self._entities or name in self._open:
            wanted = "is defined" if name not in self._entities else "does not hold itself"
            raise problem_at_offset(
                self._document, offset, wanted=f"an entity that {wanted}", found=f"&{name.decode()};"
            )
        if len(self._open) >= self._limits.depth:
            raise self._exceeded("depth", "entities nested too deep", offset)
        self._open.append(name)
        found = _NESTED.sub(lambda match: self._instead(match, offset), self._entities[name])
        self._known[self._open.pop()] = found
        return found

    def _exceeded(self, limit: str, what: str, offset: int) -> LimitExceeded:
        error = exceeded(limit, getattr(self._limits, limit), what, "more")
        error.standing_at(*place_of(self._document, offset))
        return error.located_in(self._document.source)
