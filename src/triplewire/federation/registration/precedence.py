"""In which order rules act that fire together (section 3.1).

What rules declare holds first, through others as well. Between rules that it does not relate, each super-peer applies a
scheme of its own. Rules may name each other by the names that they have at one super-peer, or by global identifiers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import TypeVar

from msgspec.structs import replace

from triplewire.errors import PrecedenceCycle
from triplewire.federation.indexes.whole_schema import WholeSchema
from triplewire.federation.registration.records import RuleRecord, rule_of
from triplewire.languages.rdftl.parts import parts
from triplewire.languages.rdftl.syntax import Arc, Resource, ResourceEvent, Rule, UpdatedArc, Where
from triplewire.rdf.terms import Literal, NamedNode
from triplewire.rules.precedence import Precedence
from triplewire.rules.schema import Schema

_Item = TypeVar("_Item")
Key = Callable[[RuleRecord], tuple[object, ...]]


class Scheme(Enum):
    """Which of two rules comes first that no declaration relates."""

    TIMESTAMP = "timestamp"
    """The one that was registered first."""
    SPECIFIC = "specific"
    """The one whose event says more; of two that say as much, the one that was registered first."""
    OWN_FIRST = "own first"
    """Those of the super-peer's own group; otherwise the one that was registered first."""


class LocalPrecedence:
    """The order of the rules that one super-peer holds."""

    def __init__(self, me: str, scheme: Scheme, whole: WholeSchema) -> None:
        self._me = me
        self._scheme = scheme
        self._whole = whole
        self._declared = Precedence()

    def follow(self, records: Mapping[str, RuleRecord]) -> tuple[str, ...]:
        """Take these rules. Of declarations that contradict each other the later one is left out: its rules are given.

        Two super-peers may have declared opposites while neither knew of the other.
        """
        self._declared = Precedence()
        left_out = []
        names = {(record.origin, record.name): record.id for record in records.values()}
        for record in sorted(records.values(), key=_by_time):
            rule = _with_identifiers(record, names)
            try:
                self._declared.add(rule)
            except PrecedenceCycle:
                left_out.append(record.id)
                self._declared.add(replace(rule, precedes=()))
        return tuple(left_out)

    def ordered(self, items: Sequence[_Item], record_of: Callable[[_Item], RuleRecord]) -> list[_Item]:
        """The items, those of rules that come first before others."""
        by_scheme = sorted(items, key=lambda item: self._key(record_of(item)))
        return self._declared.ordered(by_scheme, lambda item: record_of(item).id)

    def _key(self, record: RuleRecord) -> tuple[object, ...]:
        match self._scheme:
            case Scheme.TIMESTAMP:
                return _by_time(record)
            case Scheme.SPECIFIC:
                says = specificity(rule_of(record.text), self._whole.current)
                return (tuple(-each for each in says), *_by_time(record))
            case Scheme.OWN_FIRST:
                return (record.origin != self._me, *_by_time(record))


def specificity(rule: Rule, whole: Schema) -> tuple[int, ...]:
    """How much the event of a rule says; compare from left to right.

    How many resources and literals it names, how deep its classes and properties are in their hierarchies, how many
    qualifiers it has.
    """
    event = list(parts((rule.event, rule.lets)))
    named = sum(isinstance(value, Resource) and value.iri is not None for value in event)
    literals = sum(isinstance(end, Literal) for value in event for end in _ends(value))
    depth = sum(_depth(name, whole) for name in _names(rule))
    return named + literals, depth, sum(isinstance(value, Where) for value in event)


def _names(rule: Rule) -> Iterable[NamedNode]:
    if isinstance(rule.event, ResourceEvent):
        names: tuple[object, ...] = (rule.event.of_class,)
    else:
        names = (rule.event.arc.name,)
    return (name for name in names if isinstance(name, NamedNode))


def _ends(value: object) -> tuple[object, ...]:
    if isinstance(value, Arc):
        return (value.target,)
    return (value.old, value.new) if isinstance(value, UpdatedArc) else ()


def _depth(name: NamedNode, whole: Schema) -> int:
    return len(whole.superproperties(name) if whole.is_property(name) else whole.superclasses(name))


def _by_time(record: RuleRecord) -> tuple[object, ...]:
    return record.time, record.id


def _with_identifiers(record: RuleRecord, names: Mapping[tuple[str, str], str]) -> Rule:
    rule = rule_of(record.text)
    return replace(rule, precedes=tuple(names.get((record.origin, name), name) for name in rule.precedes))
