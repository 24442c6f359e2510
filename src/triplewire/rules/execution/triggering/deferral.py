"""Deferral: which of the deferred rules that a transaction has triggered fire at its end.

Their events were noticed when they happened, and `$delta` was bound then. At the end only that counts of which the
transaction's net change still tells: an event that was undone meanwhile has not happened. Of several updates that made
the same change the last one is the cause. All conditions are evaluated before any of the rules acts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from triplewire.languages.rdftl.syntax import ArcEvent, Change, Component, Event, Let, ResourceEvent, UpdateEvent
from triplewire.rdf.terms import BlankNode, NamedNode, Term, Triple
from triplewire.rules.changes import Changes
from triplewire.rules.execution.triggering.firing import Firing, Trigger, holding
from triplewire.rules.execution.triggering.reachability import is_reached
from triplewire.rules.execution.units import ReadSet
from triplewire.rules.graphs import Graph, PreviousGraph, RecordingGraph
from triplewire.rules.paths import DeltaTerms, Evaluation
from triplewire.rules.vocabulary import TYPE


def judged(
    waiting: Sequence[Trigger], graph: Graph, net: Changes, time: int
) -> tuple[list[Firing], list[tuple[int, ReadSet]]]:
    """The rules that fire, in the order in which they were triggered; and what those that do not have read, by cause.

    `net` is what the transaction has changed so far; what was deleted is read as it was before it.
    """
    firings: list[Firing] = []
    idle: list[tuple[int, ReadSet]] = []
    before = PreviousGraph(graph, net)
    last = {key: place for place, trigger in enumerate(waiting) for key in _keys(trigger)}
    for place, trigger in enumerate(waiting):
        now, then = RecordingGraph(graph), RecordingGraph(before)
        standing = Standing(trigger.rule.rule.event, trigger.rule.rule.lets, now, then)
        deltas = [
            delta
            for delta, key in zip(trigger.deltas, _keys(trigger), strict=True)
            if last[key] == place and standing.holds(delta)
        ]
        fired = list(holding(trigger.rule, deltas, now, then))
        read = ReadSet(time, tuple({**now.lookups, **then.lookups}))
        firings += [Firing(trigger.rule.rule, delta, trigger.cause, (trigger.read, read)) for delta in fired]
        if not fired:
            idle.append((trigger.cause, read))
    return firings, idle


def _keys(trigger: Trigger) -> Iterator[tuple[object, ...]]:
    return ((trigger.rule.rule.id, *sorted(delta.items(), key=_component)) for delta in trigger.deltas)


def _component(part: tuple[Component, Term]) -> str:
    return part[0].value


class Standing:
    """Whether the net change of a transaction is still an event of a rule, given the graph now and without it."""

    def __init__(self, event: Event, lets: tuple[Let, ...], now: Graph, then: Graph) -> None:
        self._event = event
        self._lets = lets
        self._now, self._then = now, then
        self._evaluation_now, self._evaluation_then = Evaluation(now, lets), Evaluation(then, lets)

    def holds(self, delta: DeltaTerms) -> bool:
        """Whether it is, for this `$delta`."""
        match self._event:
            case ResourceEvent(Change.INSERT, path, _) if is_reached(self._event, self._lets):
                node = delta[Component.WHOLE]
                return (self._is_resource(delta, self._now) and self._evaluation_now.leads_to(path, node)) and not (
                    self._is_resource(delta, self._then) and self._evaluation_then.leads_to(path, node)
                )
            case ResourceEvent(Change.INSERT, _, _):
                return self._is_resource(delta, self._now) and not self._is_resource(delta, self._then)
            case ResourceEvent():
                return self._is_resource(delta, self._then) and not self._is_resource(delta, self._now)
            case ArcEvent(change, _):
                there, elsewhere = (self._now, self._then) if change is Change.INSERT else (self._then, self._now)
                arc = _arc(delta, Component.TARGET)
                return _has(there, arc) and not _has(elsewhere, arc)
            case UpdateEvent():
                old, new = _arc(delta, Component.OLD_TARGET), _arc(delta, Component.NEW_TARGET)
                if not _has(self._now, new):
                    return False
                # Where the new arc was there anyway, it is the old one that has gone.
                return not _has(self._then, new) or (_has(self._then, old) and not _has(self._now, old))

    def _is_resource(self, delta: DeltaTerms, graph: Graph) -> bool:
        assert isinstance(self._event, ResourceEvent)
        of_class = self._event.of_class
        assert of_class is None or isinstance(of_class, NamedNode), "names are resolved before a rule is registered"
        return next(iter(graph.match(delta[Component.WHOLE], TYPE, of_class)), None) is not None


def _arc(delta: DeltaTerms, target: Component) -> Triple:
    source, name = delta[Component.SOURCE], delta[Component.ARC_NAME]
    assert isinstance(source, NamedNode | BlankNode), "an arc begins at a resource"
    assert isinstance(name, NamedNode), "an arc has a name"
    return Triple(source, name, delta[target])


def _has(graph: Graph, arc: Triple) -> bool:
    return next(iter(graph.match(arc.subject, arc.predicate, arc.object)), None) is not None
