"""Strategies for RDFTL: paths, conditions, rules and updates, as values; `format_rule` makes text of them.

What they may mention is handed in as a `Vocabulary`, so that a test can keep to a schema of its own.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from hypothesis import strategies as st
from msgspec import Struct

from triplewire.languages.rdftl.syntax import (
    Abort,
    AbortAction,
    Action,
    Always,
    Arc,
    ArcAction,
    ArcEvent,
    BareName,
    Both,
    Change,
    Compared,
    Comparison,
    Component,
    Condition,
    Coupling,
    Delta,
    Either,
    Element,
    Event,
    Exists,
    Let,
    Name,
    Never,
    NextElement,
    Node,
    Not,
    Path,
    Resource,
    ResourceAction,
    ResourceEvent,
    Rule,
    RuleAction,
    Source,
    Start,
    Step,
    Target,
    Update,
    UpdateAction,
    UpdatedArc,
    UpdateEvent,
    Variable,
    Where,
)
from triplewire.rdf.terms import RDF, Literal, NamedNode
from triplewire.testing.strategies.terms import literals
from triplewire.testing.strategies.vocabulary import CLASSES, EX, PREDICATES, PROPERTIES, RESOURCES, TYPE

_NAMESPACES = (("ex", str(EX)), ("dc", "http://purl.org/dc/elements/1.1/"), ("urn", "urn:names:"))
_IDS = ("r1", "r2", "SP1.3", "my rule", "ON", "é-1")


class Vocabulary(Struct, frozen=True):
    """What rules may mention."""

    arcs: tuple[Name, ...] = (*PREDICATES, *PROPERTIES, TYPE, RDF["_2"], NamedNode("urn:names:x/y"), BareName("knows"))
    classes: tuple[Name, ...] = (*CLASSES, NamedNode("urn:names:C"), BareName("LO"), BareName("IF"))
    resources: tuple[NamedNode, ...] = (*RESOURCES, NamedNode("urn:names:a"), EX["(a)"], NamedNode("ex:a"))
    literals: st.SearchStrategy[Literal] = literals()

    def arc(self) -> st.SearchStrategy[Name]:
        return st.sampled_from(self.arcs)

    def of_class(self) -> st.SearchStrategy[Name]:
        return st.sampled_from(self.classes)

    def starts(self) -> st.SearchStrategy[Start]:
        return st.one_of(st.just(Resource()), st.sampled_from(self.resources).map(Resource))


SMALL_WORLD = Vocabulary()
# Building a strategy takes longer than drawing from it.
_cached = lru_cache(maxsize=256)


# Paths and conditions


@_cached
def paths(
    vocabulary: Vocabulary = SMALL_WORLD, starts: tuple[Start, ...] = (), depth: int = 2
) -> st.SearchStrategy[Path]:
    """Paths from a resource or one of `starts`; qualifiers nest `depth` deep."""
    start = st.one_of(vocabulary.starts(), st.sampled_from(starts)) if starts else vocabulary.starts()
    return st.builds(Path, start, _steps(vocabulary, starts, depth))


@_cached
def conditions(
    vocabulary: Vocabulary = SMALL_WORLD, starts: tuple[Start, ...] = (), depth: int = 2
) -> st.SearchStrategy[Condition]:
    """Conditions over such paths."""
    return _conditions(vocabulary, starts, depth, paths(vocabulary, starts, depth - 1))


@_cached
def _steps(vocabulary: Vocabulary, starts: tuple[Start, ...], depth: int) -> st.SearchStrategy[tuple[Step, ...]]:
    step: st.SearchStrategy[Step] = _moves(vocabulary)
    if depth > 0:
        step = st.one_of(step, step, qualifiers(vocabulary, starts, depth).map(Where))
    return st.lists(step, max_size=3).map(tuple)


@_cached
def _moves(vocabulary: Vocabulary) -> st.SearchStrategy[Step]:
    numbers = st.sampled_from((None, 1, 2, 999_999_999))
    return st.one_of(vocabulary.arc().map(Target), vocabulary.arc().map(Source), numbers.map(Element))


@_cached
def qualifiers(
    vocabulary: Vocabulary = SMALL_WORLD, starts: tuple[Start, ...] = (), depth: int = 1
) -> st.SearchStrategy[Condition]:
    """Conditions as they stand in brackets: most of their paths begin at the node that they qualify."""
    relative = st.builds(
        lambda first, rest: Path(None, (first, *rest)), _moves(vocabulary), _steps(vocabulary, starts, depth - 1)
    )
    either = st.one_of(relative, relative, paths(vocabulary, starts, depth - 1))
    return _conditions(vocabulary, starts, depth, either)


@_cached
def _conditions(
    vocabulary: Vocabulary, starts: tuple[Start, ...], depth: int, path: st.SearchStrategy[Path]
) -> st.SearchStrategy[Condition]:
    right = st.one_of(vocabulary.literals, path)
    compared = st.builds(Compared, path, st.sampled_from(Comparison), right)
    atom: st.SearchStrategy[Condition] = st.one_of(
        path.map(Exists), compared, compared, st.sampled_from((Always(), Never()))
    )
    if depth <= 0:
        return atom
    part = st.deferred(lambda: _conditions(vocabulary, starts, depth - 1, path))
    parts = st.lists(part, min_size=2, max_size=3).map(tuple)
    return st.one_of(atom, atom, parts.map(Both), parts.map(Either), part.map(Not))


# Events and actions


@_cached
def events_of_rules(vocabulary: Vocabulary = SMALL_WORLD, starts: tuple[Start, ...] = ()) -> st.SearchStrategy[Event]:
    """Events of each of the three kinds."""
    path, change = paths(vocabulary, starts, 1), st.sampled_from(Change)
    source, name = _open(path), _open(vocabulary.arc())
    target = _open(_nodes(vocabulary, path))
    arc = st.builds(Arc, source, name, target)
    return st.one_of(
        st.builds(ResourceEvent, change, path, _open(vocabulary.of_class())),
        st.builds(ArcEvent, change, arc),
        st.builds(UpdateEvent, st.builds(UpdatedArc, source, name, target, target)),
    )


@_cached
def actions(vocabulary: Vocabulary = SMALL_WORLD, starts: tuple[Start, ...] = ()) -> st.SearchStrategy[Action]:
    """Actions of each kind, with wildcards only where they are allowed."""
    path = paths(vocabulary, starts, 1)
    deltas = [start for start in starts if start == Delta(Component.ARC_NAME)]
    name: st.SearchStrategy[Any] = st.one_of(vocabulary.arc(), st.sampled_from(deltas)) if deltas else vocabulary.arc()
    node = _nodes(vocabulary, path)
    inserted = st.builds(Arc, _open(path), st.one_of(name, name, st.just(NextElement())), node)
    deleted = st.builds(Arc, _open(path), _open(name), _open(node))
    updated = st.builds(UpdatedArc, _open(path), name, _open(node), node)
    return st.one_of(
        st.builds(ResourceAction, st.just(Change.INSERT), path, vocabulary.of_class()),
        st.builds(ResourceAction, st.just(Change.DELETE), path, _open(vocabulary.of_class())),
        st.builds(ArcAction, st.just(Change.INSERT), _some(inserted)),
        st.builds(ArcAction, st.just(Change.DELETE), _some(deleted)),
        st.builds(UpdateAction, _some(updated)),
    )


@_cached
def rule_actions(
    vocabulary: Vocabulary = SMALL_WORLD, starts: tuple[Start, ...] = ()
) -> st.SearchStrategy[tuple[RuleAction, ...]]:
    """The action part of a rule: some actions, now and then with ABORT at the end."""
    reasons = st.one_of(st.sampled_from(("no title", 'it\'s "so"')), st.text(min_size=1, max_size=5))
    aborts = reasons.map(lambda reason: (AbortAction(reason),))
    several = _some(actions(vocabulary, starts))
    return st.one_of(several, several, aborts, st.builds(lambda some, last: some + last, several, aborts))


def _open(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), strategy, strategy)


def _some(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(strategy, min_size=1, max_size=2).map(tuple)


def _nodes(vocabulary: Vocabulary, path: st.SearchStrategy[Path]) -> st.SearchStrategy[Node]:
    return st.one_of(vocabulary.literals, path, path)


# Rules and updates


@st.composite
def lets(draw: st.DrawFn, vocabulary: Vocabulary = SMALL_WORLD) -> tuple[Let, ...]:
    """Up to three variables, each of which may use those before it."""
    defined: list[Let] = []
    for name in draw(st.lists(st.sampled_from(("a", "b", "new_los")), max_size=3, unique=True)):
        defined.append(Let(name, draw(paths(vocabulary, tuple(Variable(let.name) for let in defined), 1))))
    return tuple(defined)


@st.composite
def rules(draw: st.DrawFn, vocabulary: Vocabulary = SMALL_WORLD) -> Rule:
    """Whole rules, of every coupling mode and abort dependency."""
    defined = draw(lets(vocabulary))
    variables = tuple(Variable(let.name) for let in defined)
    event = draw(events_of_rules(vocabulary, variables))
    starts: tuple[Start, ...] = (*variables, *deltas_of(event))
    return Rule(
        id=draw(st.sampled_from(_IDS)),
        event=event,
        condition=draw(conditions(vocabulary, starts)),
        actions=draw(rule_actions(vocabulary, starts)),
        lets=defined,
        coupling=draw(st.sampled_from(Coupling)),
        abort=draw(st.sampled_from(Abort)),
        precedes=tuple(draw(st.lists(st.sampled_from(_IDS), max_size=2))),
        namespaces=draw(_namespaces()),
    )


@st.composite
def updates(draw: st.DrawFn, vocabulary: Vocabulary = SMALL_WORLD) -> Update:
    """Updates, of a few transactions."""
    defined = draw(lets(vocabulary))
    return Update(
        action=draw(actions(vocabulary, tuple(Variable(let.name) for let in defined))),
        lets=defined,
        transaction=draw(st.sampled_from(_IDS)),
        namespaces=draw(_namespaces()),
    )


def deltas_of(event: Event) -> tuple[Delta, ...]:
    """What an event lets a rule's condition and actions use."""
    parts = {
        ResourceEvent: (),
        ArcEvent: (Component.SOURCE, Component.ARC_NAME, Component.TARGET),
        UpdateEvent: (Component.SOURCE, Component.ARC_NAME, Component.OLD_TARGET, Component.NEW_TARGET),
    }
    return (Delta(), *map(Delta, parts[type(event)]))


def _namespaces() -> st.SearchStrategy[tuple[tuple[str, str], ...]]:
    return st.lists(st.sampled_from(_NAMESPACES), unique=True).map(tuple)
