"""What a batch of events matched: columns first, objects on demand."""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import cached_property, lru_cache

import numpy as np
import pyarrow as pa

from triplewire.algebra.patterns import Pattern
from triplewire.algebra.queries import Construct, FastQuery
from triplewire.algebra.subscriptions import language_named
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.matching import arrow_columns
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.general.construct_templates import instantiate
from triplewire.matching.kernels.columns import END, EVENT_GRAPH, START
from triplewire.matching.matches import EvaluatedMatch, Match, Solution
from triplewire.matching.scanning.scanner import ScanError, ScanResult
from triplewire.matching.scanning.strict_parser import spelling
from triplewire.matching.scanning.term_decoding import term_of
from triplewire.matching.segments.search import (
    MATCH_EVENT,
    MATCH_SOLUTIONS,
    MATCH_SUBSCRIPTION,
    MATCH_WIDTH,
    MATCH_WORD,
    SegmentMatches,
)
from triplewire.matching.segments.segment import Segment
from triplewire.matching.segments.shapes import ASK, CONSTRUCT, DISTINCT
from triplewire.rdf.events import Event
from triplewire.rdf.limits import ANY_SIZE
from triplewire.rdf.solutions import Solutions
from triplewire.rdf.terms import Term, Triple

ARROW_SCHEMA = pa.schema(
    [
        ("event_index", pa.int64()),
        ("event", pa.string()),
        ("subscription", pa.string()),
        ("solutions", pa.list_(pa.map_(pa.string(), pa.string()))),
        ("lane", pa.string()),
    ]
)


class MatchBatch:
    """The matches of a batch. Its length is the number of (event, subscription) pairs.

    `columns` are what the kernels decided; others are included later: matches of the general lane, and of tests that
    needed exact evaluation.
    """

    def __init__(self, scanned: ScanResult, columns: list[SegmentMatches], events: dict[int, Event]) -> None:
        self._scanned = scanned
        self._columns = columns
        self._others: list[tuple[int, int, EvaluatedMatch]] = []
        self._events = events

    def include(self, event: int, segment: Segment, number: int, match: EvaluatedMatch) -> None:
        """Add a match that was found by evaluation."""
        self._others.append((event, int(segment.records.serials[number]), match))

    def __len__(self) -> int:
        return sum(len(found.matches) for found in self._columns) + len(self._others)

    @property
    def events(self) -> int:
        """How many events were read, rejected ones included."""
        return len(self._scanned)

    @property
    def errors(self) -> tuple[ScanError, ...]:
        """The lines that could not be read, with the event that was rejected because of each."""
        return self._scanned.errors

    @cached_property
    def event_indices(self) -> np.ndarray:
        """The event of each match, as its place in the batch."""
        parts = [found.matches[:, MATCH_EVENT] for found in self._columns]
        return np.concatenate([*parts, np.array([other[0] for other in self._others], np.int64)])

    @cached_property
    def subscription_ids(self) -> list[str]:
        """The subscription of each match."""
        ids = [
            found.segment.id_of(number)
            for found in self._columns
            for number in found.matches[:, MATCH_SUBSCRIPTION].tolist()
        ]
        return ids + [match.subscription_id for _, _, match in self._others]

    def event(self, index: int) -> Event:
        """An event of the batch."""
        if index not in self._events:
            name, triples = self._scanned.event_iri(index), self._scanned.triples(index)
            # How large an event may be is checked where the document is read, before it is matched.
            self._events[index] = Event.from_triples(name, triples, limits=ANY_SIZE)
        return self._events[index]

    def view(self, index: int, taxonomy: Taxonomy) -> EventView:
        """An event of the batch, made ready to be asked."""
        known = self._events.get(index)
        if known is not None:
            return EventView.of(known, taxonomy)
        rows = [(_term(s), _term(p), _term(o)) for s, p, o in self._scanned.spelled_rows(index)]
        return EventView(self._scanned.event_iri(index), rows, taxonomy)

    def __iter__(self) -> Iterator[Match]:
        """The matches as objects, by event and then in the order in which subscriptions were added."""
        return self.without(frozenset())

    def without(self, subscription_ids: Set[str]) -> Iterator[Match]:
        """The same, but for those of some subscriptions, of which no objects are made."""
        numbered = self._numbered(subscription_ids)
        return (match for _, _, match in sorted(numbered, key=lambda entry: entry[:2]))

    def _numbered(self, left_out: Set[str]) -> Iterator[tuple[int, int, Match]]:
        for found in self._columns:
            serials = found.segment.records.serials
            for row in found.matches.tolist():
                if not left_out or found.segment.id_of(row[MATCH_SUBSCRIPTION]) not in left_out:
                    yield row[MATCH_EVENT], int(serials[row[MATCH_SUBSCRIPTION]]), self._match(found, row)
        for event, serial, match in self._others:
            if match.subscription_id not in left_out:
                yield event, serial, match.on(self.event(event))

    def _match(self, found: SegmentMatches, row: list[int]) -> Match:
        number = row[MATCH_SUBSCRIPTION]
        shape = found.segment.shape_of(number)
        event = self.event(row[MATCH_EVENT])
        if shape.form == ASK:
            return Match(found.segment.id_of(number), event, Solutions([{}]))
        solutions = self._solutions(found, row)
        construct: tuple[Triple, ...] = ()
        if shape.form == CONSTRUCT:
            construct = instantiate(_template(*found.segment.source_of(number)), solutions)
        return Match(found.segment.id_of(number), event, solutions, construct)

    def _solutions(self, found: SegmentMatches, row: list[int]) -> Solutions:
        shape = found.segment.shape_of(row[MATCH_SUBSCRIPTION])
        rows = [tuple(map(self._term_bytes, origins)) for origins in self._origins(found, row, list(shape.columns))]
        different = dict.fromkeys(rows) if shape.form == DISTINCT else rows
        solutions = (dict(zip(shape.names, map(_term, spelled), strict=True)) for spelled in different)
        return Solutions(solutions, shape.names)

    def _origins(self, found: SegmentMatches, row: list[int], columns: list[int]) -> list[list[int]]:
        """One list of origins for each solution, in the shape's order."""
        start, count, width = row[MATCH_WORD], row[MATCH_SOLUTIONS], row[MATCH_WIDTH]
        words = found.solutions[start : start + count * width].reshape(count, width)
        return words[:, columns].tolist()  # type: ignore[no-any-return]

    def _term_bytes(self, origin: int) -> bytes:
        quad, column = origin >> 2, 3 * (origin & 3)
        row = self._scanned.quads[quad]
        return self._scanned.data[row[column + START] : row[column + END]]

    @property
    def scanned(self) -> ScanResult:
        """The tables that the matches point into."""
        return self._scanned

    def to_arrow(self) -> pa.Table:
        """One row a match, by event and in the order of adding; a solution maps variables to terms as N-Triples."""
        parts = [self._arrow(found) for found in self._columns if len(found.matches)]
        parts.append(self._arrow_of_others())
        serials = [found.segment.records.serials[found.matches[:, MATCH_SUBSCRIPTION]] for found in self._columns]
        serials.append(np.array([serial for _, serial, _ in self._others], np.int64))
        order = np.lexsort((np.concatenate(serials), self.event_indices))
        # Take works on one chunk of nested rows, not on several.
        return pa.concat_tables(parts).combine_chunks().take(pa.array(order))

    def _arrow(self, found: SegmentMatches) -> pa.Table:
        places = found.matches[:, MATCH_EVENT]
        events = self._scanned.events
        names = arrow_columns.spans(
            self._scanned.buffer, events[places, EVENT_GRAPH + START] + 1, events[places, EVENT_GRAPH + END] - 1
        )
        ids = arrow_columns.chosen(found.segment.records.ids, found.matches[:, MATCH_SUBSCRIPTION])
        lanes = pa.repeat("fast", len(places))
        columns = [pa.array(places), names, ids, arrow_columns.solutions(self._scanned, found), lanes]
        return pa.Table.from_arrays(columns, schema=ARROW_SCHEMA)

    def _arrow_of_others(self) -> pa.Table:
        names = {event: self._scanned.event_iri(event).value for event in {other[0] for other in self._others}}
        rows = [
            (event, names[event], match.subscription_id, _spelled(match.answer.solutions), match.lane)
            for event, _, match in self._others
        ]
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(ARROW_SCHEMA)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, ARROW_SCHEMA, strict=True)]
        return pa.Table.from_arrays(arrays, schema=ARROW_SCHEMA)


@lru_cache(maxsize=65_536)
def _term(spelled: bytes) -> Term:
    return term_of(spelled)


def _spelled(solutions: list[Solution]) -> list[list[tuple[str, str]]]:
    return [[(name, spelling(term)) for name, term in solution.items()] for solution in solutions]


@lru_cache(maxsize=1024)
def _template(language: str, text: str) -> tuple[Pattern, ...]:
    query = language_named(language).parse(text)
    assert isinstance(query, FastQuery)
    assert isinstance(query.form, Construct)
    return query.form.template
