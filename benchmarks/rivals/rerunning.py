"""SEPA's way of working, on Oxigraph: every query whose graphs an update touches is run again, and its lists compared.

It is in memory, in process and in native code as far as Oxigraph goes: a result is written as text by Oxigraph, and
only one that differs from the last is looked at in Python. With all data in one graph, each update touches every query.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct
from pyoxigraph import QueryResultsFormat, QuerySolutions, Store


class Told(Struct, frozen=True):
    """What a query gained and lost, as lines of SPARQL TSV."""

    query: int
    added: list[bytes]
    removed: list[bytes]


class Rerunning:
    """Standing queries over a store. An answer is a multiset, as lines of SPARQL TSV."""

    def __init__(self, store: Store, queries: Sequence[str]) -> None:
        self._store = store
        self._queries = queries
        self._answers = [self._answer(query) for query in queries]

    def compare(self) -> list[Told]:
        """After an update: run every query again, and say what has changed."""
        told = []
        for number, query in enumerate(self._queries):
            now, before = self._answer(query), self._answers[number]
            if now != before:
                self._answers[number] = now
                lines, known = Counter(now.splitlines()), Counter(before.splitlines())
                added, removed = lines - known, known - lines
                if added or removed:
                    told.append(Told(number, [*added.elements()], [*removed.elements()]))
        return told

    def _answer(self, query: str) -> bytes:
        solutions = self._store.query(query)
        assert isinstance(solutions, QuerySolutions)
        return solutions.serialize(format=QueryResultsFormat.TSV) or b""
