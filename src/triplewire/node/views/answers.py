"""What a view says, as the JSON that waits in the outbox: its whole answer, what a change did to it, or why it ended.

    {"change": 7, "variables": ["s"], "answer": [...]}          the first
    {"change": 9, "added": [...], "removed": [...]}             each later one
    {"change": 9, "failed": "..."}                              the last

Where it was asked for, `why` has a reason for each item, in the same order: `{"answer": [...]}` in the first, and
`{"added": [...], "removed": [...]}` in each later one, of the states after and before the change. One that would grow
too large by it goes without.

Solutions are SPARQL's JSON bindings, triples are lines of N-Triples. The answer of ASK is true or false: `added` is
what it is now, `removed` what it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.datasets import DatasetQuery
from triplewire.rdf.sparql_json import json_binding
from triplewire.rdf.terms import Triple
from triplewire.views.maintenance.results import Item
from triplewire.views.view_set import ViewAnswer
from triplewire.wire.reasons import AnswerReasons

# What a view says at a time may have so many bytes.
MOST_BYTES = 16 << 20
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def is_ask(query: DatasetQuery) -> bool:
    """Whether a query is answered by yes or no."""
    return isinstance(query.query, ast.AskQuery)


def whole_answer(
    query: DatasetQuery, answer: ViewAnswer, change: int, why: AnswerReasons | None = None, most: int = MOST_BYTES
) -> bytes:
    """The first notification, at the position of the change that the answer is of."""
    parts = {"change": change, "variables": answer.variables, "answer": said_of(query, answer)}
    return _with_why(parts, why, most)


def said_of(query: DatasetQuery, answer: ViewAnswer) -> bool | list[Any]:
    """An answer in JSON."""
    return bool(answer.items) if is_ask(query) else _items(answer.items)


def difference(
    query: DatasetQuery,
    added: Iterable[Item],
    removed: Iterable[Item],
    change: int,
    why: AnswerReasons | None = None,
    most: int = MOST_BYTES,
) -> bytes:
    """What one change added to an answer and removed from it."""
    if is_ask(query):
        is_true = bool(list(added))
        return _with_why({"change": change, "added": is_true, "removed": not is_true}, why, most)
    return _with_why({"change": change, "added": _items(added), "removed": _items(removed)}, why, most)


def failure(reason: str, change: int) -> bytes:
    """The last notification: a view that is not kept up to date any more, since this change."""
    return _encode({"change": change, "failed": reason})


def joined(earlier: bytes, later: bytes, most: int = MOST_BYTES) -> bytes | None:
    """Two differences that follow each other as one, None if together they are none.

    What is left keeps its reason, with the change as of which that is.
    """
    first, second = _decode(earlier), _decode(later)
    if isinstance(first["added"], bool):
        return None if first["removed"] == second["added"] else later
    asks_why = "why" in first or "why" in second
    came, went = _Reasoned(), _Reasoned()
    for part in (first, second):
        why, at = part.get("why", {}), part["change"] if part is first else None
        for item, reason in _with_reasons(part["removed"], why.get("removed"), at):
            if not came.drop(item, reason):
                went.add(item, reason)
        for item, reason in _with_reasons(part["added"], why.get("added"), at):
            if not went.drop(item, reason):
                came.add(item, reason)
    if not came and not went:
        return None
    parts = {"change": second["change"], "added": came.items, "removed": went.items}
    return _with_why(parts, {"added": came.reasons, "removed": went.reasons} if asks_why else None, most)


class _Reasoned:
    """A multiset of items, each with its reason; those of one item by their quads."""

    def __init__(self) -> None:
        self._items: dict[bytes, dict[frozenset[str], list[Any]]] = {}

    def __bool__(self) -> bool:
        return bool(self._items)

    def add(self, item: bytes, reason: Any) -> None:
        self._items.setdefault(item, {}).setdefault(_quads(reason), []).append(reason)

    def drop(self, item: bytes, reason: Any) -> bool:
        """Take one out, if there is one: that with the same quads, or else the last."""
        known = self._items.get(item)
        if not known:
            return False
        quads = _quads(reason)
        if quads not in known:
            quads = next(reversed(known))
        known[quads].pop()
        if not known[quads]:
            del known[quads]
        if not known:
            del self._items[item]
        return True

    @property
    def items(self) -> list[Any]:
        return [_decode(item) for item, known in self._items.items() for reasons in known.values() for _ in reasons]

    @property
    def reasons(self) -> list[Any]:
        return [reason for known in self._items.values() for reasons in known.values() for reason in reasons]


def _with_reasons(items: list[Any], reasons: list[Any] | None, change: int | None) -> Iterator[tuple[bytes, Any]]:
    """Items as text, and their reasons as of a change, if it is an earlier one."""
    for item, reason in zip(items, reasons or [{"truncated": True}] * len(items), strict=True):
        dated = reason if change is None else {"change": change} | reason
        yield msgspec.json.encode(item, order="sorted"), dated


def _quads(reason: Any) -> frozenset[str]:
    return frozenset(one["quad"] for one in reason.get("quads", ()))


def _with_why(parts: dict[str, Any], why: Any, most: int) -> bytes:
    """What is said with the reasons for it, or without them if that is too much."""
    if why is not None:
        said = _encode(parts | {"why": why})
        if len(said) <= most:
            return said
    return _encode(parts)


def _items(items: Iterable[Item]) -> list[Any]:
    return [f"{item} ." if isinstance(item, Triple) else json_binding(item) for item in items]
