"""The rows of one event, found by any combination of positions; a term is made where somebody asks for it."""

from __future__ import annotations

from collections.abc import Sequence

from triplewire.matching.evaluation.event_view import Key, Row
from triplewire.matching.scanning.term_decoding import term_of
from triplewire.network.eventspace.chains import Constants
from triplewire.network.eventspace.quads import SpelledTriple
from triplewire.rdf.terms import NamedNode, Term


class EventRows:
    """Rows with their terms. Compound events are small: what matches is found by looking at all of them."""

    def __init__(self, event: str, rows: Sequence[SpelledTriple]) -> None:
        self.graph = NamedNode(event)
        self.rows = rows
        self._decoded: dict[SpelledTriple, Row] = {}
        self._terms: dict[bytes, Term] = {}
        self._constants: Constants | None = None

    def terms(self, row: SpelledTriple) -> Row:
        """The terms of a row."""
        found = self._decoded.get(row)
        if found is None:
            found = self._decoded[row] = (self._term(row[0]), self._term(row[1]), self._term(row[2]))
        return found

    def may_have(self, alternatives: Sequence[Constants]) -> bool:
        """Whether for some alternative everything is here that it wants as subject, predicate and object."""
        if self._constants is None:
            mine = [frozenset(terms) for terms in zip(*self.rows, strict=True)]
            self._constants = mine[0], mine[1], mine[2]
        here = self._constants
        for subjects, predicates, objects in alternatives:
            if predicates <= here[1] and subjects <= here[0] and objects <= here[2]:
                return True
        return False

    def matching(self, key: Key) -> list[Row]:
        """The rows that have the key's terms in its positions."""
        subject, predicate, obj = key
        return [
            row
            for row in map(self.terms, self.rows)
            if (predicate is None or row[1] == predicate)
            and (subject is None or row[0] == subject)
            and (obj is None or row[2] == obj)
        ]

    def _term(self, spelled: bytes) -> Term:
        found = self._terms.get(spelled)
        if found is None:
            found = self._terms[spelled] = term_of(spelled)
        return found
