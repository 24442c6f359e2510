"""JSON-LD contexts: those that stand in the document, and those that a local map has (row A10).

A context given by address would have to be fetched, from wherever the sender likes, so nothing is ever fetched. Where
the map has the address, the context that it leads to is written into the document before the parser sees it; any other
address is refused by name, and so it is in `@import`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Unpack
from urllib.parse import urljoin

import msgspec
from msgspec import Struct

from triplewire.errors import Facts, InputError, LimitExceeded, RefusedFeature
from triplewire.rdf.documents import Document
from triplewire.rdf.limits import Limits, exceeded
from triplewire.rdf.parsing.positions import place_of

_CONTEXT = "@context"
# Numbers stay as they were written, whatever their size.
_WRITER = msgspec.json.Encoder(decimal_format="number")


class Contexts(Struct, frozen=True):
    """Contexts by address, each as the text of a JSON-LD document. What is not in here does not exist."""

    texts: dict[str, str] = {}

    @classmethod
    def load(cls, file: Path | None) -> Contexts:
        """Read a map: a JSON object of addresses and files, whose paths count from the map's own folder.

        Every file is read here, once, so that a mistake in the map is reported at once.
        """
        if file is None:
            return NO_CONTEXTS
        found = _object_in(file)
        if not all(isinstance(path, str) for path in found.values()):
            raise InputError(wanted="a JSON object of addresses and files", found="something else", source=str(file))
        return cls({address: _text_of(file.parent / path) for address, path in found.items()})


NO_CONTEXTS = Contexts()


def with_contexts(document: Document, contexts: Contexts, base: str | None, limits: Limits) -> Document:
    """The document with each context of the map written into it; raises `RefusedFeature` for any other address."""
    if b"@context" not in document.data and b"\\u" not in document.data:
        return document
    writing = _Writing(document, contexts, limits)
    try:
        found = writing.read(document.data, base or "", ())
    except json.JSONDecodeError:
        return document  # the RDF parser says what is wrong, with line and column
    return Document(_encoded(found, document), document.source, document.path) if writing.used else document


class _Writing:
    """Puts contexts in the place of their addresses, also in those contexts themselves."""

    def __init__(self, document: Document, contexts: Contexts, limits: Limits) -> None:
        self.used = 0
        self._document = document
        self._contexts = contexts
        self._limits = limits

    def read(self, text: bytes | str, base: str, inside: tuple[str, ...]) -> Any:
        """A JSON text with every `@context` in it replaced. `inside` are the addresses that led to it."""

        def replaced(pairs: list[tuple[str, object]]) -> dict[str, object]:
            # Repeated keys are looked at too: which of them a parser believes is its own affair.
            return {key: self._context(value, base, inside) if key == _CONTEXT else value for key, value in pairs}

        return json.loads(text, object_pairs_hook=replaced, parse_int=Decimal, parse_float=Decimal)

    def _context(self, context: object, base: str, inside: tuple[str, ...]) -> object:
        if isinstance(context, str):
            return self._at(context, base, inside)
        if isinstance(context, list):
            return [part for each in context for part in _parts(self._context(each, base, inside))]
        if isinstance(context, dict) and "@import" in context:
            return self._imported(context, base, inside)
        return context

    def _imported(self, context: dict[str, Any], base: str, inside: tuple[str, ...]) -> object:
        imported = self._at(str(context["@import"]), base, inside)
        if not isinstance(imported, dict):
            raise self._refused(context["@import"], wanted="an imported context that is one object", found="another")
        return {**imported, **{key: value for key, value in context.items() if key != "@import"}}

    def _at(self, written: str, base: str, inside: tuple[str, ...]) -> object:
        address = next((known for known in (written, _joined(base, written)) if known in self._contexts.texts), None)
        if address is None:
            raise self._refused(
                written,
                "remote JSON-LD contexts are refused",
                found=repr(written),
                hint="write the context into the document, or name a file for it (--contexts)",
            )
        if address in inside:
            raise self._refused(written, wanted="contexts that do not hold themselves", found=repr(written))
        text = self._contexts.texts[address]
        self._count(len(text))
        return _without_base(self.read(text, address, (*inside, address)).get(_CONTEXT, {}))

    def _count(self, size: int) -> None:
        self.used += size
        if self.used > self._limits.document_bytes:
            raise self._too_large()

    def _too_large(self) -> LimitExceeded:
        error = exceeded("document_bytes", self._limits.document_bytes, "contexts come to too much text", "more")
        return error.located_in(self._document.source)

    def _refused(self, address: object, summary: str | None = None, **facts: Unpack[Facts]) -> RefusedFeature:
        place = _place(str(address), self._document)
        return RefusedFeature(_CONTEXT, summary, **facts).standing_at(*place).located_in(self._document.source)


def _parts(context: object) -> Iterable[object]:
    return context if isinstance(context, list) else (context,)


def _without_base(context: object) -> object:
    """JSON-LD 1.1 takes no `@base` from a context elsewhere."""
    if isinstance(context, list):
        return [_without_base(part) for part in context]
    if isinstance(context, dict):
        return {key: value for key, value in context.items() if key != "@base"}
    return context


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:
        return address


def _place(address: str, document: Document) -> tuple[int, int]:
    """Where the address stands, or at least the first context: the JSON parser does not tell."""
    found = (document.data.find(f'"{wanted}"'.encode(errors="replace")) for wanted in (address, _CONTEXT))
    return place_of(document, next((offset for offset in found if offset >= 0), 0))


def _encoded(value: object, document: Document) -> bytes:
    try:
        return _WRITER.encode(value)
    except UnicodeEncodeError:
        raise InputError(wanted="Unicode text", found="half a surrogate pair", source=document.source) from None


def _object_in(file: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(_read(file))
    except ValueError as error:
        raise InputError(wanted="a JSON object", found=f"something else: {error}", source=str(file)) from None
    if not isinstance(found, dict):
        raise InputError(wanted="a JSON object", found="another value", source=str(file))
    return found


def _text_of(file: Path) -> str:
    context = _object_in(file)
    if _CONTEXT not in context:
        raise InputError(wanted='a JSON-LD context, an object with "@context"', found="none", source=str(file))
    return json.dumps({_CONTEXT: context[_CONTEXT]})


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read the file: {error.strerror or error}", source=str(file)) from error
