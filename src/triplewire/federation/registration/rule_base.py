"""The rules that one super-peer holds: its own, and replicas of others that an event of its group may trigger.

A rule sleeps while no peer has data of all that its event needs. It stays where it is, and wakes when there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from triplewire.federation.indexes.group_index import GroupIndex, PeerView
from triplewire.federation.indexes.local_index import Nodes, node_of
from triplewire.federation.indexes.relevance import Annotations, annotate, e_concerns
from triplewire.federation.indexes.whole_schema import WholeSchema
from triplewire.federation.registration.precedence import LocalPrecedence
from triplewire.federation.registration.records import RuleRecord, rule_of
from triplewire.federation.sites.terms import iri_of
from triplewire.languages.rdftl.syntax import ResourceEvent, Rule
from triplewire.rdf.terms import NamedNode
from triplewire.rules.analysis.footprints.extents import is_membership
from triplewire.rules.analysis.relevance import e_relevant, event_needs
from triplewire.rules.changes import Changes
from triplewire.rules.execution.triggering.reachability import ReachIndex
from triplewire.rules.vocabulary import MEMBERSHIP, TYPE, number_of


class Moved(Struct, frozen=True):
    """Rules that fell asleep, and rules that woke."""

    slept: tuple[str, ...] = ()
    woke: tuple[str, ...] = ()


class RuleBase:
    """Rules by their global identifiers."""

    def __init__(self, group: GroupIndex, whole: WholeSchema, precedence: LocalPrecedence) -> None:
        self.precedence = precedence
        self._group = group
        self._whole = whole
        self._records: dict[str, RuleRecord] = {}
        self._by_node: dict[NamedNode | None, dict[str, None]] = {}
        self._reached = ReachIndex()
        self._awake: set[str] = set()

    # Changing

    def add(self, record: RuleRecord) -> bool:
        """Keep a rule; whether it is new."""
        if record.id in self._records:
            return False
        self._records[record.id] = record
        self._by_node.setdefault(waits_for(rule_of(record.text)), {})[record.id] = None
        self._reached.add(rule_of(record.text))
        self.precedence.follow(self._records)
        self._settle([record.id])
        return True

    def remove(self, rule: str) -> bool:
        """Forget a rule; whether it was here."""
        record = self._records.pop(rule, None)
        if record is None:
            return False
        del self._by_node[waits_for(rule_of(record.text))][rule]
        self._reached.remove(rule_of(record.text))
        self._awake.discard(rule)
        self.precedence.follow(self._records)
        return True

    def reconsider(self, nodes: Nodes) -> Moved:
        """Let rules sleep or wake after some peer has got its first data of some of these nodes, or lost its last."""
        return self._settle(rule for rule, record in self._records.items() if _waits(rule_of(record.text), nodes))

    def reconsider_all(self) -> Moved:
        """Let rules sleep or wake after some peer has declared another schema."""
        return self._settle(list(self._records))

    # Reading

    def __iter__(self) -> Iterator[RuleRecord]:
        return iter(self._records.values())

    def __contains__(self, rule: object) -> bool:
        return rule in self._records

    def __getitem__(self, rule: str) -> RuleRecord:
        return self._records[rule]

    def __len__(self) -> int:
        return len(self._records)

    def of(self, origin: str) -> tuple[str, ...]:
        """The rules that were registered at one super-peer."""
        return tuple(sorted(record.id for record in self if record.origin == origin))

    def is_awake(self, rule: str) -> bool:
        return rule in self._awake

    def annotations(self, rule: str) -> Annotations:
        """The peers that each part of a rule concerns now, with the reasons."""
        return annotate(rule_of(self._records[rule].text), self._group, self._whole.current)

    def may_be_triggered(self, changes: Changes, view: PeerView) -> list[RuleRecord]:
        """The rules that a change may trigger at a peer: the event part concerns the peer, and waits for such data.

        It waits for it also where an arc makes the event's path lead to a resource that was there before. `view` has
        what the peer had before the change and has after it.
        """
        touched: dict[NamedNode | None, None] = {None: None}
        for triple in (*changes.inserted, *changes.deleted):
            touched[node_of(triple)] = None
            if triple.predicate == TYPE:
                touched[TYPE] = None
        waiting = [rule for node in touched for rule in self._by_node.get(node, ())]
        found = (self._records[rule] for rule in dict.fromkeys((*waiting, *self._reached.of(changes))))
        return [record for record in found if e_concerns(rule_of(record.text), view)]

    def _settle(self, rules: Iterable[str]) -> Moved:
        slept, woke = [], []
        views = [self._group[peer] for peer in self._group.peers]
        for rule in rules:
            parsed = rule_of(self._records[rule].text)
            awake = any(e_relevant(parsed, view.schema) for view in views)
            if awake and rule not in self._awake:
                woke.append(rule)
                self._awake.add(rule)
            elif not awake and rule in self._awake:
                slept.append(rule)
                self._awake.discard(rule)
        return Moved(tuple(slept), tuple(woke))


def waits_for(rule: Rule) -> NamedNode | None:
    """The class or property whose data the event of a rule is about; None: any."""
    if isinstance(rule.event, ResourceEvent):
        name: object = rule.event.of_class or TYPE
    else:
        name = rule.event.arc.name
    if not isinstance(name, NamedNode):
        return None
    return MEMBERSHIP if number_of(name) is not None else name


def _waits(rule: Rule, nodes: Nodes) -> bool:
    """Whether it matters to the event of a rule that there is data of one of these."""
    needs = event_needs(rule)
    return not nodes.isdisjoint(needs) or any(map(is_membership, needs))


def as_nodes(names: Iterable[str]) -> Nodes:
    """Classes and properties out of a message."""
    return frozenset(map(iri_of, names))


def as_names(nodes: Nodes) -> tuple[str, ...]:
    """Classes and properties for a message."""
    return tuple(sorted(node.value for node in nodes))
