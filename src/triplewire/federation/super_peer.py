"""Rules across super-peers at one super-peer, put together: indexes, registration, execution. Without I/O.

Every method takes the time first, in monotonic seconds, and returns effects; the shell around it carries them out.

    rules = RuleSuperPeer("SP1", Schema(()), overlay, rng, privileges)
    effects = rules.join(now, "ann", site.view, site.stream.next_serial)
    effects = rules.declare(now, "ann", schema)           # it has another one than when it joined
    rule, effects = rules.register(now, parse_rule(text), time=...)
    unit, effects = rules.submit(now, "ann", parse_updates(text))
    effects = rules.receive(now, sender, message)         # of another super-peer
    effects = rules.reply(now, "ann", told)               # of a peer: an answer, or a change of its own
    effects = rules.tick(now)                             # a few times a second
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random

from msgspec.structs import replace

from triplewire.federation.effects import Effect, ToAll, ToSuperPeer
from triplewire.federation.execution.coordinator import SAID, Coordinator, Effects
from triplewire.federation.execution.effects import SchemaLeftOut
from triplewire.federation.execution.state import Surroundings
from triplewire.federation.indexes.group_index import GroupChange, GroupIndex, PeerView
from triplewire.federation.indexes.local_index import IndexChange, Nodes
from triplewire.federation.indexes.network_index import NetworkIndex, Offer, Versions
from triplewire.federation.indexes.relevance import Annotations, OtherSuperPeers, annotate, annotate_others
from triplewire.federation.indexes.whole_schema import GroupSchema, WholeSchema
from triplewire.federation.inquiries.asker import Inquiries
from triplewire.federation.inquiries.messages import Said as Inquiry
from triplewire.federation.messages import Message
from triplewire.federation.overlay import Overlay
from triplewire.federation.policy import Policy
from triplewire.federation.registration.registrar import Registrar
from triplewire.federation.sites.privileges import Access, Privileges
from triplewire.federation.sites.requests import FromPeer
from triplewire.federation.timings import FederationTimings
from triplewire.languages.rdftl.syntax import Abort, Rule, Update
from triplewire.rdf.terms import NamedNode
from triplewire.rules.schema import Schema


class RuleSuperPeer:
    """One super-peer and its peer group.

    `whole` is the schema of all as far as it is known: `common`, and what the groups of the network declare.
    """

    def __init__(
        self,
        me: str,
        common: Schema,
        overlay: Overlay,
        rng: Random,
        privileges: Privileges = Privileges(),  # noqa: B008  frozen
        *,
        policy: Policy = Policy(),  # noqa: B008  frozen
        timings: FederationTimings = FederationTimings(),  # noqa: B008  frozen
    ) -> None:
        self.me = me
        self.group = GroupIndex()
        self.whole = WholeSchema(me, common)
        self.network = NetworkIndex(me, self.whole)
        self.privileges = privileges
        self.registrar = Registrar(me, self.group, self.whole, overlay, rng, timings, policy.scheme)
        self._overlay = overlay
        self._rng = rng
        self._timings = timings
        self._exchange_at = float("-inf")
        given = Surroundings(
            me,
            self.group,
            self.registrar,
            self.network,
            overlay,
            self.whole,
            self._follow_index,
            timings,
            policy.commutes,
            policy.depth,
        )
        self.coordinator = Coordinator(given, privileges)
        self.inquiries = Inquiries(self.coordinator.state)

    # Our own peers

    def join(self, now: float, peer: str, view: PeerView, next_serial: int) -> Effects:
        """A peer is here, with all that it had before it told `next_serial`, or that it has since."""
        effects: Effects = []
        before: Nodes = frozenset()
        if peer in self.group:
            before = self.group[peer].nodes
            if self.group[peer].declared != view.declared:
                effects += self.declare(now, peer, view.declared)
        change = self.group.join(peer, view)
        effects += self._declared()
        effects += self._group_changed(now, change, before ^ view.nodes)
        return [*effects, *self.coordinator.join(now, peer, next_serial)]

    def declare(self, now: float, peer: str, schema: Schema, change: IndexChange = IndexChange()) -> Effects:  # noqa: B008  frozen
        """A peer that is here has another schema now; `change` is what its index has made of that.

        What was executed there before is judged by the schema of then; nothing is executed or compensated for it.
        """
        if peer not in self.group:
            return []
        before = self.group.schema
        self.group.declare(peer, schema, change)
        declared = self._declared()
        self.registrar.base.reconsider_all()
        grown = _new_names(before, self.group.schema)
        offer = self._offer()
        effects: Effects = [*declared, *([] if offer is None else [ToAll(offer)])]
        effects += self.registrar.group_changed(now, GroupChange(grown))
        return [*effects, *self.coordinator.look_again(now)]

    def leave(self, now: float, peer: str) -> Effects:
        """A peer is gone, for a while or for good."""
        if peer not in self.group:
            return []
        nodes = self.group[peer].nodes
        change = self.group.leave(peer)
        effects: Effects = [*self._declared(), *self._group_changed(now, change, nodes)]
        return [*effects, *self.coordinator.leave(now, peer)]

    def grant(self, now: float, privileges: Privileges) -> Sequence[Effect]:
        """Let others read and write other data of our group than before."""
        self.privileges = self.coordinator.state.privileges = privileges
        offer = self._offer()
        return [] if offer is None else [ToAll(offer)]

    def submit(self, now: float, peer: str, updates: Iterable[Update], author: str = "") -> tuple[str, Effects]:
        """A transaction of a peer that is here; returns its name."""
        return self.coordinator.submit(now, peer, updates, author)

    def reply(self, now: float, peer: str, answer: FromPeer) -> Effects:
        """A peer has answered a request, or has changed by itself."""
        return self.coordinator.reply(now, peer, answer) if peer in self.group else []

    def register(
        self, now: float, rule: Rule, *, time: float, owner: str = "", abort: Abort | None = None
    ) -> tuple[str, Sequence[Effect]]:
        """Register a rule of our group; returns its global identifier."""
        return self.registrar.register(now, rule, time=time, owner=owner, abort=abort)

    def unregister(self, now: float, rule: str) -> Sequence[Effect]:
        """Unregister a rule of our group."""
        return self.registrar.unregister(now, rule)

    def annotate(self, rule: Rule) -> tuple[Annotations, OtherSuperPeers]:
        """The own peers and the other super-peers that each part of a rule concerns, each answer with its reason.

        Raises `UnknownName`.
        """
        whole, known = self.whole.resolved(rule), self.whole.current
        return annotate(whole, self.group, known), annotate_others(whole, self.network, known)

    def ask_relevance(self, now: float, rule: Rule, seconds: float) -> tuple[str, Effects]:
        """Ask everybody which parts of a rule concern them; returns the name of the inquiry, for `InquiryAnswered`.

        Raises `UnknownName`.
        """
        inquiry, effects = self.inquiries.ask_relevance(now, rule, seconds)
        return inquiry, [*effects]

    def ask_trace(self, now: float, unit: str, seconds: float) -> tuple[str, Effects]:
        """Ask for the transaction of a unit, ours or another's, in the same way. Raises `MessageRefused`."""
        inquiry, effects = self.inquiries.ask_trace(now, unit, seconds)
        return inquiry, [*effects]

    # Other super-peers

    def receive(self, now: float, sender: str, message: Message) -> Effects:
        """A message of another super-peer, or one that was broadcast."""
        if isinstance(message, SAID):
            return self.coordinator.receive(now, sender, message)  # type: ignore[arg-type]
        if isinstance(message, Inquiry):
            return [*self.inquiries.receive(now, sender, message)]
        match message:
            case Offer():
                self.network.include(message)
                return []
            case GroupSchema():
                return self._whole_changed(lambda: self.whole.include(message))
            case Versions(_, schemas):
                newer: list[Message] = [*self.whole.newer_than(schemas), *self.network.newer_than(message)]
                return [ToSuperPeer(sender, one) for one in newer]
        effects: Effects = [*self.registrar.receive(now, sender, message)]  # type: ignore[arg-type]
        return [*effects, *self.coordinator.look_again(now)]

    def is_due(self, now: float) -> bool:
        """Whether a tick would do anything. One for which this is false need not be noted anywhere."""
        parts = (self.registrar, self.coordinator, self.inquiries)
        return self._is_exchange_due(now) or any(part.is_due(now) for part in parts)

    def tick(self, now: float) -> Effects:
        """Do what is due."""
        effects: Effects = [*self._whole_changed(lambda: self.whole.follow(self._overlay.members))]
        effects += self.registrar.tick(now)
        if self._is_exchange_due(now):
            self._exchange_at = now
            known = replace(self.network.versions, schemas=self.whole.versions)
            effects.append(ToSuperPeer(self._rng.choice(sorted(self._overlay.others)), known))
        return [*effects, *self.coordinator.tick(now), *self.inquiries.tick(now)]

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is left to do here, other than at peers that are gone."""
        return self.coordinator.is_quiet and not self.registrar.asking and not self.inquiries.open

    # Private

    def _is_exchange_due(self, now: float) -> bool:
        return bool(self._overlay.others) and now - self._exchange_at >= self._timings.exchange

    def _follow_index(self, now: float, peer: str, change: IndexChange) -> list[Effect]:
        if not change or peer not in self.group:
            return []
        return self._group_changed(now, self.group.follow(peer, change), change.grown | change.shrunk)

    def _group_changed(self, now: float, change: GroupChange, nodes: Nodes) -> list[Effect]:
        self.registrar.base.reconsider(nodes)
        effects = self.registrar.group_changed(now, change)
        offer = self._offer() if nodes else None
        return effects if offer is None else [ToAll(offer), *effects]

    def _declared(self) -> Effects:
        """What our own peers declare may have changed."""
        said: list[GroupSchema | None] = []
        happened = self._whole_changed(lambda: said.append(self.whole.declare(self.group.together)))
        return [*happened, *(ToAll(one) for one in said if one is not None)]

    def _whole_changed(self, change: Callable[[], None]) -> Effects:
        before = self.whole.left_out
        change()
        return [SchemaLeftOut(who, why) for who, why in self.whole.left_out.items() if before.get(who) != why]

    def _offer(self) -> Offer | None:
        nodes, declared = self.group.nodes, self.group.declared
        named = frozenset(declared.classes | declared.properties) | nodes
        reads = self.privileges.open_nodes(nodes, Access.READ_ONLY)
        inserts = self.privileges.open_nodes(named, Access.READ_WRITE)
        return self.network.offer(reads, inserts, nodes & inserts)


def _new_names(before: Schema, after: Schema) -> Nodes:
    """The classes and properties of which the schema says something that it did not say before."""
    ends = {end for triple in after.triples - before.triples for end in (triple.subject, triple.object)}
    return frozenset(
        end for end in ends if isinstance(end, NamedNode) and (after.is_class(end) or after.is_property(end))
    )
