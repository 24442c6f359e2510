"""Reachability: events that happen because a path leads somewhere now, whatever made it do so.

`INSERT path AS INSTANCE OF c` waits for a node of the class that the path leads to, and did not before: the node may
have been there. So arcs on the path count, and what its qualifiers ask. Which rules a change may concern is told by
names of arcs; which nodes it may concern is found from each changed triple along the path, not by following all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from triplewire.languages.rdftl.parts import parts
from triplewire.languages.rdftl.syntax import (
    Both,
    Change,
    Compared,
    Condition,
    Either,
    Element,
    Event,
    Exists,
    Let,
    Not,
    Path,
    Resource,
    ResourceEvent,
    Rule,
    Source,
    Start,
    Step,
    Target,
    Variable,
    Where,
)
from triplewire.rdf.terms import NamedNode, Term, Triple
from triplewire.rules.changes import Changes
from triplewire.rules.graphs import Graph
from triplewire.rules.paths import Evaluation
from triplewire.rules.vocabulary import TYPE, member, number_of

# The name that stands for every other.
_ANY = None
Names = frozenset[NamedNode | None]


def is_reached(event: Event, lets: Iterable[Let]) -> bool:
    """Whether the event waits for a path to lead somewhere, and not only for what comes to be in a class."""
    if not isinstance(event, ResourceEvent) or event.change is not Change.INSERT or event.of_class is None:
        return False
    return bool(_written_out(event.path, lets)[1])


class ArcNames(Struct, frozen=True):
    """Names of arcs that may make a path lead somewhere when they come, and when they go; None is any."""

    coming: Names = frozenset()
    going: Names = frozenset()

    def __or__(self, other: ArcNames) -> ArcNames:
        return ArcNames(self.coming | other.coming, self.going | other.going)

    def __invert__(self) -> ArcNames:
        return ArcNames(self.going, self.coming)


def arc_names(path: Path, lets: tuple[Let, ...]) -> ArcNames:
    """The names that decide where a path leads."""
    start, steps = _written_out(path, lets)
    found = ArcNames()
    if start == Resource():
        found = _coming(TYPE)
    elif isinstance(start, Resource) and not any(isinstance(step, Target | Source | Element) for step in steps[:1]):
        found = _coming(_ANY)  # Any triple may be the first that mentions it.
    for step in steps:
        if isinstance(step, Where):
            found |= _names_in(step.condition, lets)
        elif isinstance(step, Element):
            found |= _coming(_ANY if step.number is None else member(step.number))
        else:
            found |= _coming(_iri(step.arc))
    return found


def _names_in(condition: Condition, lets: tuple[Let, ...]) -> ArcNames:
    match condition:
        case Not(part):
            return ~_names_in(part, lets)
        case Both(several) | Either(several):
            found = ArcNames()
            for part in several:
                found |= _names_in(part, lets)
            return found
        case Exists(path):
            return arc_names(path, lets)
        case Compared(left, _, right):
            return arc_names(left, lets) | (arc_names(right, lets) if isinstance(right, Path) else ArcNames())
    return ArcNames()


def _coming(name: NamedNode | None) -> ArcNames:
    return ArcNames(coming=frozenset({name}))


class ReachIndex:
    """The rules that wait for a path to lead somewhere, by the arcs that decide it."""

    def __init__(self) -> None:
        self._names: dict[str, ArcNames] = {}
        self._coming: dict[NamedNode | None, dict[str, None]] = {}
        self._going: dict[NamedNode | None, dict[str, None]] = {}

    def add(self, rule: Rule) -> None:
        """Index the rule, if it waits for that. Its names must be resolved."""
        if isinstance(rule.event, ResourceEvent) and is_reached(rule.event, rule.lets):
            names = self._names[rule.id] = arc_names(rule.event.path, rule.lets)
            for index, each in ((self._coming, names.coming), (self._going, names.going)):
                for name in each:
                    index.setdefault(name, {})[rule.id] = None

    def remove(self, rule: Rule) -> None:
        """Forget the rule."""
        names = self._names.pop(rule.id, ArcNames())
        for index, each in ((self._coming, names.coming), (self._going, names.going)):
            for name in each:
                del index[name][rule.id]

    def of(self, changes: Changes) -> list[str]:
        """The rules that the changes may concern."""
        return [] if not self._names else self.coming(changes.inserted) + _found(self._going, changes.deleted)

    def coming(self, triples: Iterable[Triple]) -> list[str]:
        """The rules that insertions may concern."""
        return _found(self._coming, triples) if self._names else []


def _found(index: dict[NamedNode | None, dict[str, None]], triples: Iterable[Triple]) -> list[str]:
    names = {triple.predicate for triple in triples}
    found = [rule for name in sorted(names, key=str) for rule in index.get(name, ())]
    return [*found, *index.get(_ANY, ())] if names else []


# Nodes


def newly_reached(
    event: ResourceEvent, lets: tuple[Let, ...], changes: Changes, now: Graph, before: Graph
) -> list[Term]:
    """The nodes that are of the event's class and on its path now, and were not both before the changes."""
    came = [t.subject for t in changes.inserted if t.predicate == TYPE and t.object == event.of_class]
    search = _Search(event.path, lets, now, before)
    nodes = dict.fromkeys((*came, *sorted(search.nodes(changes), key=str)))
    then, there = (_Members(event, lets, graph) for graph in (before, now))
    return [node for node in nodes if there.has(node) and not then.has(node)]


class _Members:
    """Who is of an event's class and on its path in one graph."""

    def __init__(self, event: ResourceEvent, lets: tuple[Let, ...], graph: Graph) -> None:
        self._event = event
        self._graph = graph
        self._evaluation = Evaluation(graph, lets)

    def has(self, node: Term) -> bool:
        cls = self._event.of_class
        assert isinstance(cls, NamedNode), "names are resolved before a rule is registered"
        if next(iter(self._graph.match(node, TYPE, cls)), None) is None:
            return False
        return self._evaluation.leads_to(self._event.path, node)


class _Search:
    """The nodes on a path now that some changed triple may have put there."""

    def __init__(self, path: Path, lets: tuple[Let, ...], now: Graph, before: Graph) -> None:
        self._path = path
        self._start, self._steps = _written_out(path, lets)
        self._now, self._before = Evaluation(now, lets), Evaluation(before, lets)

    def nodes(self, changes: Changes) -> set[Term]:
        if any(_asks_elsewhere(step) for step in self._steps):
            # What a qualifier asks of another place may change for every node.
            return self._now.nodes(self._path)
        return {node for triple in (*changes.inserted, *changes.deleted) for node in self._after(triple)}

    def _after(self, triple: Triple) -> Iterator[Term]:
        if self._start == Resource() and triple.predicate == TYPE:
            yield from self._now.nodes(Path(None, self._steps), triple.subject)
        for place, nodes in self._places(self._steps, triple):
            for node in nodes:
                yield from self._now.nodes(Path(None, self._steps[place:]), node)

    def _places(self, steps: tuple[Step, ...], triple: Triple) -> Iterator[tuple[int, set[Term]]]:
        """The steps that the triple may be part of, each with the nodes at which the step begins there."""
        for place, step in enumerate(steps):
            if isinstance(step, Where):
                yield place, {node for path in _relative(step.condition) for node in self._begins(path.steps, triple)}
            elif _is_named(step, triple):
                yield place, {triple.object if isinstance(step, Source) else triple.subject}

    def _begins(self, steps: tuple[Step, ...], triple: Triple) -> Iterator[Term]:
        """The nodes from which a relative path leads through the triple, or did before."""
        for place, nodes in self._places(steps, triple):
            for evaluation in (self._now, self._before):
                yield from evaluation.backwards(steps[:place], nodes)


def _is_named(step: Target | Source | Element, triple: Triple) -> bool:
    if isinstance(step, Element):
        number = number_of(triple.predicate)
        return number is not None and step.number in (None, number)
    return triple.predicate == step.arc


def _relative(condition: Condition) -> list[Path]:
    """The paths of a condition that begin at the node which it qualifies, without those in qualifiers of others."""
    match condition:
        case Exists(path):
            found = [path]
        case Compared(left, _, right):
            found = [left, right] if isinstance(right, Path) else [left]
        case Both(several) | Either(several):
            return [path for part in several for path in _relative(part)]
        case Not(part):
            return _relative(part)
        case _:
            return []
    return [path for path in found if path.start is None]


def _asks_elsewhere(step: Step) -> bool:
    return isinstance(step, Where) and any(isinstance(part, Path) and part.start is not None for part in parts(step))


def _written_out(path: Path, lets: Iterable[Let]) -> tuple[Start | None, tuple[Step, ...]]:
    start, steps = path.start, path.steps
    while isinstance(start, Variable):
        name = start.name
        definition = next(let.path for let in lets if let.name == name)
        start, steps = definition.start, definition.steps + steps
    return start, steps


def _iri(name: object) -> NamedNode:
    assert isinstance(name, NamedNode), "names are resolved before a rule is registered"
    return name
