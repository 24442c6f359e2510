"""What a view says, as the JSON that waits in the outbox: its whole answer, what a change did to it, or why it ended.

    {"change": 7, "variables": ["s"], "answer": [...]}          the first
    {"change": 9, "added": [...], "removed": [...]}             each later one
    {"change": 9, "failed": "..."}                              the last

Solutions are SPARQL's JSON bindings, triples are lines of N-Triples. The answer of ASK is true or false: `added` is
what it is now, `removed` what it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.datasets import DatasetQuery
from triplewire.rdf.sparql_json import json_binding
from triplewire.rdf.terms import Triple
from triplewire.views.maintenance.results import Item
from triplewire.views.view_set import ViewAnswer

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def is_ask(query: DatasetQuery) -> bool:
    """Whether a query is answered by yes or no."""
    return isinstance(query.query, ast.AskQuery)


def whole_answer(query: DatasetQuery, answer: ViewAnswer, change: int) -> bytes:
    """The first notification, at the position of the change that the answer is of."""
    said: Any = bool(answer.items) if is_ask(query) else _items(answer.items)
    return _encode({"change": change, "variables": answer.variables, "answer": said})


def difference(query: DatasetQuery, added: Iterable[Item], removed: Iterable[Item], change: int) -> bytes:
    """What one change added to an answer and removed from it."""
    if is_ask(query):
        is_true = bool(list(added))
        return _encode({"change": change, "added": is_true, "removed": not is_true})
    return _encode({"change": change, "added": _items(added), "removed": _items(removed)})


def failure(reason: str, change: int) -> bytes:
    """The last notification: a view that is not kept up to date any more, since this change."""
    return _encode({"change": change, "failed": reason})


def joined(earlier: bytes, later: bytes) -> bytes | None:
    """Two differences that follow each other as one, None if together they are none."""
    first, second = _decode(earlier), _decode(later)
    if isinstance(first["added"], bool):
        return None if first["removed"] == second["added"] else later
    kept = _counted(first["added"])
    kept.update(_counted(second["added"]))
    kept.subtract(_counted(first["removed"]))
    kept.subtract(_counted(second["removed"]))
    added = [_decode(item) for item, count in kept.items() for _ in range(count)]
    removed = [_decode(item) for item, count in kept.items() for _ in range(-count)]
    if not added and not removed:
        return None
    return _encode({"change": second["change"], "added": added, "removed": removed})


def _counted(items: list[Any]) -> Counter[bytes]:
    return Counter(msgspec.json.encode(item, order="sorted") for item in items)


def _items(items: Iterable[Item]) -> list[Any]:
    return [f"{item} ." if isinstance(item, Triple) else json_binding(item) for item in items]
