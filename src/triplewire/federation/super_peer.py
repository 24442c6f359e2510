"""Rules across super-peers at one super-peer, put together: indexes, registration, execution. Without I/O.

Every method takes the time first, in monotonic seconds, and returns effects; the shell around it carries them out.

    rules = RuleSuperPeer("SP1", whole, overlay, rng, privileges)
    effects = rules.join(now, "ann", site.view, site.stream.next_serial)
    rule, effects = rules.register(now, parse_rule(text), time=...)
    unit, effects = rules.submit(now, "ann", parse_updates(text))
    effects = rules.receive(now, sender, message)         # of another super-peer
    effects = rules.reply(now, "ann", told)               # of a peer: an answer, or a change of its own
    effects = rules.tick(now)                             # a few times a second
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from triplewire.federation.effects import Effect, ToAll, ToSuperPeer
from triplewire.federation.execution.coordinator import SAID, Coordinator, Effects
from triplewire.federation.execution.state import Surroundings
from triplewire.federation.indexes.group_index import GroupChange, GroupIndex, PeerView
from triplewire.federation.indexes.local_index import IndexChange, Nodes
from triplewire.federation.indexes.network_index import NetworkIndex, Offer, Versions
from triplewire.federation.indexes.relevance import Annotations, OtherSuperPeers, annotate, annotate_others
from triplewire.federation.messages import Message
from triplewire.federation.overlay import Overlay
from triplewire.federation.policy import Policy
from triplewire.federation.registration.registrar import Registrar
from triplewire.federation.sites.privileges import Access, Privileges
from triplewire.federation.sites.requests import FromPeer
from triplewire.federation.timings import FederationTimings
from triplewire.languages.rdftl.syntax import Abort, Rule, Update
from triplewire.rules.name_resolution import resolved
from triplewire.rules.schema import Schema


class RuleSuperPeer:
    """One super-peer and its peer group. `whole` is the schema of all; each peer has a part of it."""

    def __init__(
        self,
        me: str,
        whole: Schema,
        overlay: Overlay,
        rng: Random,
        privileges: Privileges = Privileges(),  # noqa: B008  frozen
        *,
        policy: Policy = Policy(),  # noqa: B008  frozen
        timings: FederationTimings = FederationTimings(),  # noqa: B008  frozen
    ) -> None:
        self.me = me
        self.group = GroupIndex()
        self.network = NetworkIndex(me, whole)
        self.privileges = privileges
        self.registrar = Registrar(me, self.group, whole, overlay, rng, timings, policy.scheme)
        self._whole = whole
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
            whole,
            self._follow_index,
            timings,
            policy.commutes,
            policy.depth,
        )
        self.coordinator = Coordinator(given, privileges)

    # Our own peers

    def join(self, now: float, peer: str, view: PeerView, next_serial: int) -> Effects:
        """A peer is here, with all that it had before it told `next_serial`, or that it has since."""
        before = self.group[peer].nodes if peer in self.group else frozenset()
        change = self.group.join(peer, view)
        effects: Effects = [*self._group_changed(now, change, before ^ view.nodes)]
        return [*effects, *self.coordinator.join(now, peer, next_serial)]

    def leave(self, now: float, peer: str) -> Effects:
        """A peer is gone, for a while or for good."""
        if peer not in self.group:
            return []
        nodes = self.group[peer].nodes
        effects: Effects = [*self._group_changed(now, self.group.leave(peer), nodes)]
        return [*effects, *self.coordinator.leave(now, peer)]

    def grant(self, now: float, privileges: Privileges) -> Sequence[Effect]:
        """Let others read and write other data of our group than before."""
        self.privileges = self.coordinator.state.privileges = privileges
        offer = self._offer()
        return [] if offer is None else [ToAll(offer)]

    def submit(self, now: float, peer: str, updates: Iterable[Update]) -> tuple[str, Effects]:
        """A transaction of a peer that is here; returns its name."""
        return self.coordinator.submit(now, peer, updates)

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
        whole = resolved(rule, self._whole)
        return annotate(whole, self.group, self._whole), annotate_others(whole, self.network, self._whole)

    # Other super-peers

    def receive(self, now: float, sender: str, message: Message) -> Effects:
        """A message of another super-peer, or one that was broadcast."""
        if isinstance(message, SAID):
            return self.coordinator.receive(now, sender, message)  # type: ignore[arg-type]
        match message:
            case Offer():
                self.network.include(message)
                return []
            case Versions():
                return [ToSuperPeer(sender, offer) for offer in self.network.newer_than(message)]
        effects: Effects = [*self.registrar.receive(now, sender, message)]  # type: ignore[arg-type]
        return [*effects, *self.coordinator.look_again(now)]

    def is_due(self, now: float) -> bool:
        """Whether a tick would do anything. One for which this is false need not be noted anywhere."""
        return self._is_exchange_due(now) or self.registrar.is_due(now) or self.coordinator.is_due(now)

    def tick(self, now: float) -> Effects:
        """Do what is due."""
        effects: Effects = [*self.registrar.tick(now)]
        if self._is_exchange_due(now):
            self._exchange_at = now
            effects.append(ToSuperPeer(self._rng.choice(sorted(self._overlay.others)), self.network.versions))
        return [*effects, *self.coordinator.tick(now)]

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is left to do here, other than at peers that are gone."""
        return self.coordinator.is_quiet and not self.registrar.asking

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

    def _offer(self) -> Offer | None:
        nodes, declared = self.group.nodes, self.group.declared
        named = frozenset(declared.classes | declared.properties) | nodes
        reads = self.privileges.open_nodes(nodes, Access.READ_ONLY)
        inserts = self.privileges.open_nodes(named, Access.READ_WRITE)
        return self.network.offer(reads, inserts, nodes & inserts)
