"""Candidates: which rules an update may have triggered, asked of the matcher.

Each rule's event becomes a subscription over an event made of the changed triples: one pattern, with the constants
that the rule's event names. Inserted, deleted and updated arcs are three kinds of events with a matcher each. Every
rule that is triggered is among the candidates; a path that is not a constant may let others through.
"""

from __future__ import annotations

from collections.abc import Iterable

from triplewire.algebra.patterns import Pattern, PatternTerm, Variable
from triplewire.algebra.queries import Ask, Core, FastQuery
from triplewire.algebra.subscriptions import Subscription
from triplewire.languages.rdftl import syntax
from triplewire.languages.rdftl.syntax import ArcEvent, Change, Let, Path, Resource, ResourceEvent, Rule, Where
from triplewire.matching import Matcher
from triplewire.rdf.terms import Literal, NamedNode, Term
from triplewire.rules.ambient import TYPE
from triplewire.rules.execution.events import Happened
from triplewire.rules.literals import as_kept

_SOURCE, _NAME, _TARGET = Variable("source"), Variable("name"), Variable("target")
_IN_THE_EVENT = " <urn:triplewire:changes> .\n"


class Candidates:
    """Rules by what may trigger them."""

    def __init__(self) -> None:
        self._inserted, self._deleted, self._updated = Matcher(), Matcher(), Matcher()

    def add(self, rule: Rule) -> None:
        """Listen for the rule's event. Its names must be resolved."""
        self._matcher_of(rule).add(_subscription(rule))

    def remove(self, rule: Rule) -> None:
        """Listen no longer."""
        self._matcher_of(rule).remove(rule.id)

    def of(self, happened: Happened) -> list[str]:
        """The identifiers of the rules that may be triggered."""
        updated = ((arc.source, arc.name, arc.new) for arc in happened.updated)
        inserted: Iterable[Iterable[Term]] = happened.inserted
        deleted: Iterable[Iterable[Term]] = happened.deleted
        if happened.updated:
            # An update of arcs inserts and deletes none, but it may give and take classes.
            inserted, deleted = happened.classes(Change.INSERT), happened.classes(Change.DELETE)
        return [
            *_matching(self._inserted, inserted),
            *_matching(self._deleted, deleted),
            *_matching(self._updated, updated),
        ]

    def settle(self) -> None:
        """Make matching as fast as it gets. Nobody has to."""
        for matcher in (self._inserted, self._deleted, self._updated):
            matcher.settle()

    def _matcher_of(self, rule: Rule) -> Matcher:
        if isinstance(rule.event, ResourceEvent | ArcEvent):
            return self._inserted if rule.event.change is Change.INSERT else self._deleted
        return self._updated


def _matching(matcher: Matcher, triples: Iterable[Iterable[Term]]) -> list[str]:
    if not len(matcher):
        return []
    data = "".join([" ".join(map(str, triple)) + _IN_THE_EVENT for triple in triples])
    return matcher.match_nquads(data.encode()).subscription_ids if data else []


def _subscription(rule: Rule) -> Subscription:
    pattern = _pattern(rule)
    return Subscription(rule.id, "sparql", f"ASK {{ {pattern} }}", FastQuery(Ask(), Core((pattern,))))


def _pattern(rule: Rule) -> Pattern:
    event, lets = rule.event, rule.lets
    match event:
        case ResourceEvent(_, path, of_class):
            return Pattern(_constant(path, lets) or _SOURCE, TYPE, _iri(of_class) or _TARGET)
        case ArcEvent(_, arc):
            source, name, target = arc.source, arc.name, arc.target
        case syntax.UpdateEvent(updated):
            source, name, target = updated.source, updated.name, updated.new
    return Pattern(_constant(source, lets) or _SOURCE, _iri(name) or _NAME, _constant(target, lets) or _TARGET)


def _iri(name: object) -> PatternTerm | None:
    return name if isinstance(name, NamedNode) else None


def _constant(node: Path | Literal | None, lets: tuple[Let, ...]) -> PatternTerm | None:
    """The one node that it can be, if the text tells."""
    if isinstance(node, Literal):
        kept = as_kept(node)
        assert isinstance(kept, Literal)
        return kept
    if node is None or not all(isinstance(step, Where) for step in node.steps):
        return None
    if isinstance(node.start, syntax.Variable):
        definitions = {let.name: let.path for let in lets}
        return _constant(definitions[node.start.name], lets)
    return node.start.iri if isinstance(node.start, Resource) else None
