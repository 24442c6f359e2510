"""Event queries over a change that may have been followed by others: later changes are reversed, never undone.

A host needs its graph, its schema and the changes that it has kept; nothing else is asked of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from triplewire.federation.sites.requests import Classes, Detect, Detected, Refused, ReportedUpdate
from triplewire.federation.sites.stream import KeptChange
from triplewire.federation.sites.terms import outward, outward_delta
from triplewire.rdf.terms import Literal, NamedNode, Term
from triplewire.rules.changes import Changes, NetChanges
from triplewire.rules.execution.triggering.event_detection import Detection, EventOccurrences
from triplewire.rules.graphs import Graph, Lookup, PreviousGraph, RecordingGraph
from triplewire.rules.paths import DeltaTerms
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import TYPE

Kept = Mapping[int, KeptChange]
_Key = tuple[tuple[str, str], ...]


class Moment(Struct, frozen=True):
    """An update, with the graph right before it and right after it."""

    update: ReportedUpdate
    before: Graph
    after: Graph


def detect(
    site: str, graph: Graph, schema: Schema, kept: Kept, foreign: Classes, request: Detect
) -> Detected | Refused:
    """Evaluate event queries over a change that was kept. `foreign` are classes of what other sites describe."""
    if request.of not in kept:
        return Refused(f"the change {request.of} is forgotten at {site}")
    found: dict[str, dict[_Key, DeltaTerms]] = {}
    reads: dict[Lookup, None] = {}
    terms: dict[Term, frozenset[NamedNode]] = {}
    for moment in moments(graph, kept, request.of):
        for rule, deltas in _deltas(moment, schema, request, reads).items():
            found.setdefault(rule, {}).update((_key(delta), delta) for delta in deltas)
            _describe(terms, moment, foreign, (term for delta in deltas for term in delta.values()))
    triggered = {rule: tuple(outward_delta(delta, site) for delta in deltas.values()) for rule, deltas in found.items()}
    classes = {outward(term, site): known for term, known in terms.items() if known}
    return Detected(triggered, classes, tuple(reads))


def moments(graph: Graph, kept: Kept, of: int) -> list[Moment]:
    """The updates of a change that was kept, in their order, each with the states around it."""
    back = NetChanges()
    for later in sorted((serial for serial in kept if serial > of), reverse=True):
        back.include(kept[later].changes.reversed())
    after = _earlier(graph, back)
    found = []
    for update in reversed(kept[of].updates):
        back.include(update.changes.reversed())
        before = _earlier(graph, back)
        found.append(Moment(update, before, after))
        after = before
    return found[::-1]


def _earlier(graph: Graph, back: NetChanges) -> Graph:
    changes: Changes = back.changes
    return PreviousGraph(graph, changes.reversed()) if changes or changes.edits else graph


def _deltas(moment: Moment, schema: Schema, request: Detect, reads: dict[Lookup, None]) -> dict[str, list[DeltaTerms]]:
    """The `$delta`s of the rules that one update triggers; what was looked up on the way is noted."""
    if not moment.update.changes:
        return {}
    occurrences = EventOccurrences.by(moment.update.changes, moment.update.moved, schema)
    now, before = RecordingGraph(moment.after), RecordingGraph(moment.before)
    detection = Detection(occurrences, now, before)
    found = {query.rule: detection.deltas(query.event, query.lets) for query in request.queries}
    reads.update(now.lookups)
    reads.update(before.lookups)
    return {rule: deltas for rule, deltas in found.items() if deltas}


def _describe(known: dict[Term, frozenset[NamedNode]], moment: Moment, foreign: Classes, terms: Iterable[Term]) -> None:
    """Note the classes of resources, before or after an update: what was deleted had some."""
    for node in dict.fromkeys(terms):
        if not isinstance(node, Literal):
            classes = frozenset(_classes(node, moment)) | foreign.get(node, frozenset())
            known[node] = known.get(node, frozenset()) | classes


def _classes(node: Term, moment: Moment) -> Iterator[NamedNode]:
    for graph in (moment.after, moment.before):
        for triple in graph.match(node, TYPE, None):
            if isinstance(triple.object, NamedNode):
                yield triple.object


def _key(delta: DeltaTerms) -> _Key:
    return tuple((component.value, str(term)) for component, term in delta.items())
