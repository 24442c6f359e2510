"""JSON-LD contexts: only those that stand in the document itself (row A10).

A context given by address would have to be fetched, from wherever the sender likes. It is refused by name, before the
parser sees it, and so is `@import`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from triplewire.errors import RefusedFeature
from triplewire.rdf.documents import Document
from triplewire.rdf.positions import place_of


def check_contexts(document: Document) -> None:
    """Raise `RefusedFeature` if any object of the document names a context elsewhere."""
    if b"@context" not in document.data and b"\\u" not in document.data:
        return

    def check(pairs: list[tuple[str, object]]) -> dict[str, object]:
        # Repeated keys count too: which of them a parser believes is its own affair.
        for key, value in pairs:
            if key == "@context":
                _check_context(value, document)
        return dict(pairs)

    try:
        json.loads(document.data, object_pairs_hook=check, parse_int=str, parse_float=str)
    except json.JSONDecodeError:
        return  # the RDF parser says what is wrong, with line and column


def _check_context(context: object, document: Document) -> None:
    for address in _addresses(context):
        message = f"remote JSON-LD contexts are refused, found {address!r}; write the context into the document"
        raise RefusedFeature("@context", message, source=document.source).standing_at(*_place(address, document))


def _place(address: str, document: Document) -> tuple[int, int]:
    """Where the address stands, or at least the first context: the JSON parser does not tell."""
    found = (document.data.find(f'"{wanted}"'.encode(errors="replace")) for wanted in (address, "@context"))
    return place_of(document, next((offset for offset in found if offset >= 0), 0))


def _addresses(context: object) -> Iterable[str]:
    if isinstance(context, str):
        yield context
    elif isinstance(context, list):
        for part in context:
            yield from _addresses(part)
    elif isinstance(context, dict) and "@import" in context:
        yield str(context["@import"])
