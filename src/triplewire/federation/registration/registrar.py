"""Registers rules and keeps replicas of others, at one super-peer (section 3.1).

A rule is broadcast when it is registered, and kept by those to whose schema it is e-relevant. What a broadcast, or a
partition, has left undone is repaired by exchanges: now and then a super-peer tells another one what it has data of and
which of the other's rules it holds, and the other, who alone knows its rules, sends what is missing and names what is
gone. So a replica that was partitioned away ends when its holder meets the rule's super-peer again. Tombstones only
keep copies that are on their way from coming back, and have a bounded life for that reason.

If the super-peer of a rule has gone, its replicas stay where they are until somebody else unregisters the rule. Should
it return, its rule does, too.
"""

from __future__ import annotations

from random import Random

from msgspec import Struct

from triplewire.errors import UnknownRule, UpdateRefused
from triplewire.federation.effects import Effect, ToAll, ToSuperPeer
from triplewire.federation.indexes.group_index import GroupChange, GroupIndex, induced
from triplewire.federation.indexes.whole_schema import WholeSchema
from triplewire.federation.overlay import Overlay
from triplewire.federation.registration.growth import Answered, Growth, asker_of
from triplewire.federation.registration.messages import (
    Correction,
    Registered,
    RulesFound,
    RulesWanted,
    Summary,
    Unregistered,
)
from triplewire.federation.registration.precedence import LocalPrecedence, Scheme
from triplewire.federation.registration.records import RuleRecord, record_of, rule_of
from triplewire.federation.registration.rule_base import RuleBase, as_names, as_nodes
from triplewire.federation.timings import FederationTimings
from triplewire.languages.rdftl.syntax import Abort, Rule
from triplewire.rules.analysis.relevance import e_relevant
from triplewire.rules.precedence import check_precedence

Said = Registered | Unregistered | Summary | Correction | RulesWanted | RulesFound


class _Growing(Struct):
    """Classes and properties whose rules are being asked for. `query` is the question that is out, if one is."""

    grown: tuple[str, ...]
    query: str | None
    again_at: float = 0.0

    def is_due(self, now: float) -> bool:
        """Whether it is time to ask once more."""
        return self.query is None and self.again_at <= now


class Registrar:
    """The rules of one super-peer. `whole` is the schema of all, against which rules are written."""

    def __init__(
        self,
        me: str,
        group: GroupIndex,
        whole: WholeSchema,
        overlay: Overlay,
        rng: Random,
        timings: FederationTimings = FederationTimings(),  # noqa: B008  frozen
        scheme: Scheme = Scheme.TIMESTAMP,
    ) -> None:
        self.base = RuleBase(group, whole, LocalPrecedence(me, scheme, whole))
        self.me = me
        self._group = group
        self._whole = whole
        self._overlay = overlay
        self._rng = rng
        self._timings = timings
        self._growth = Growth(me, overlay, timings.growth)
        self._growing: list[_Growing] = []
        self._tombstones: dict[str, float] = {}
        self._numbers = 0
        self._exchange_at = float("-inf")
        self._known_others: frozenset[str] = frozenset()

    # Our own rules

    def register(
        self, now: float, rule: Rule, *, time: float, owner: str = "", abort: Abort | None = None
    ) -> tuple[str, list[Effect]]:
        """Register a rule; returns its global identifier. Raises `UnknownName` or `PrecedenceCycle`."""
        whole = self._whole.resolved(rule)
        own = {one.name: rule_of(one.text).precedes for one in self.base if one.origin == self.me}
        check_precedence({**own, rule.id: whole.precedes}, rule.id)
        record = record_of(whole, self.me, self._numbers + 1, time, owner, abort)
        self._numbers += 1
        self.base.add(record)
        return record.id, [ToAll(Registered(record))]

    def unregister(self, now: float, rule: str) -> list[Effect]:
        """Unregister a rule, and every replica of it. That is for the super-peer where it was registered, as long as
        that one is there.
        """
        if rule not in self.base:
            raise UnknownRule(wanted=f"the rule {rule!r}", found="none of that name")
        origin = self.base[rule].origin
        if origin != self.me and origin in self._overlay.others:
            raise UpdateRefused(wanted=f"to unregister {rule!r} at {origin}", found=f"the request at {self.me}")
        self._bury(now, rule)
        return [ToAll(Unregistered(rule))]

    # The group

    def group_changed(self, now: float, change: GroupChange) -> list[Effect]:
        """The schema of our group has changed: rules that it needs now are asked for."""
        if not change.grown:
            return []
        growing = _Growing(as_names(change.grown), None)
        self._growing.append(growing)
        return self._ask(now, growing)

    @property
    def asking(self) -> frozenset[str]:
        """The questions for rules that have not come back. A change has not met all its rules before they have."""
        return self._growth.asked

    @property
    def is_missing_rules(self) -> bool:
        """Whether rules that our schema needs may not be here, since not everybody has answered yet."""
        return bool(self._growing)

    # Other super-peers

    def receive(self, now: float, sender: str, message: Said) -> list[Effect]:
        """Receive what another super-peer has said, or what was broadcast."""
        match message:
            case Registered(record):
                self._keep([record])
            case Unregistered(rule):
                self._bury(now, rule)
            case Summary():
                return self._correct(sender, message)
            case Correction(missing, gone):
                self._keep(missing)
                for rule in gone:
                    self._bury(now, rule)
            case RulesWanted():
                return self._and_keep(now, *self._growth.asked_by(now, sender, message, self._made_relevant(message)))
            case RulesFound():
                return self._and_keep(now, *self._growth.answered_by(sender, message))
        return []

    def is_due(self, now: float) -> bool:
        """Whether a tick would do anything."""
        return (
            any(until <= now for until in self._tombstones.values())
            or self._growth.is_due(now)
            or any(growing.is_due(now) for growing in self._growing)
            or self._known_others != frozenset(self._overlay.others)
            or self._is_exchange_due(now)
        )

    def tick(self, now: float) -> list[Effect]:
        """Do what is due."""
        self._tombstones = {rule: until for rule, until in self._tombstones.items() if until > now}
        effects = self._and_keep(now, *self._growth.tick(now))
        for growing in list(self._growing):
            if growing.is_due(now):
                effects += self._ask(now, growing)
        return [*effects, *self._exchange(now)]

    # Private

    def _keep(self, records: tuple[RuleRecord, ...] | list[RuleRecord]) -> None:
        """Keep those that are e-relevant to our schema."""
        new = [one for one in records if one.id not in self.base and one.id not in self._tombstones]
        if not new:
            return
        schema = self._group.recent_schema
        for record in new:
            if e_relevant(rule_of(record.text), schema):
                self.base.add(record)

    def _bury(self, now: float, rule: str) -> None:
        self.base.remove(rule)
        self._tombstones[rule] = now + self._timings.tombstone

    # Private: growth

    def _ask(self, now: float, growing: _Growing) -> list[Effect]:
        growing.query, effects, answered = self._growth.ask(now, growing.grown, as_names(self._group.nodes))
        return self._and_keep(now, effects, answered)

    def _and_keep(self, now: float, effects: list[Effect], answered: list[Answered]) -> list[Effect]:
        for one in answered:
            self._keep(list(one.records))
            for growing in self._growing:
                if growing.query == one.query:
                    growing.query, growing.again_at = None, now + self._timings.retry
                    if one.is_complete:
                        self._growing.remove(growing)
                    break
        return effects

    def _made_relevant(self, wanted: RulesWanted) -> list[RuleRecord]:
        """Our rules that the change may have made e-relevant to who asks."""
        nodes = as_nodes(wanted.nodes)
        schema = self._whole.of(asker_of(wanted.query))
        after, before = induced(schema, nodes), induced(schema, nodes - as_nodes(wanted.grown))
        rules = [(record, rule_of(record.text)) for record in self.base]
        return [record for record, rule in rules if e_relevant(rule, after) and not e_relevant(rule, before)]

    # Private: exchanges

    def _is_exchange_due(self, now: float) -> bool:
        return bool(self._overlay.others) and now - self._exchange_at >= self._timings.exchange

    def _exchange(self, now: float) -> list[Effect]:
        """With a random other one now and then, and at once with those that have come, or have come back."""
        others = frozenset(self._overlay.others)
        chosen, self._known_others = set(others - self._known_others), others
        if self._is_exchange_due(now):
            self._exchange_at = now
            chosen.add(self._rng.choice(sorted(others)))
        nodes = as_names(self._group.nodes) if chosen else ()
        return [ToSuperPeer(other, Summary(nodes, self.base.of(other))) for other in sorted(chosen)]

    def _correct(self, sender: str, summary: Summary) -> list[Effect]:
        schema = induced(self._whole.of(sender), as_nodes(summary.nodes))
        own = [self.base[rule] for rule in self.base.of(self.me)]
        held = frozenset(summary.held)
        missing = tuple(one for one in own if one.id not in held and e_relevant(rule_of(one.text), schema))
        gone = tuple(sorted(held - {one.id for one in own}))
        return [ToSuperPeer(sender, Correction(missing, gone))] if missing or gone else []
