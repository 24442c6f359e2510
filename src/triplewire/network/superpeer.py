"""A super-peer: the cube, the links and the router put together, without I/O.

Every method takes the time first, in monotonic seconds, and returns effects; the shell around it carries them out. A
node runs the same object over real sockets, a simulation over virtual ones.

    peer = SuperPeer("sp-1", "tcp://…", reasoner, rng)
    effects = peer.start(now, seeds=["tcp://…"])
    effects = peer.receive(now, sender, frame)
    effects = peer.tick(now)                       # a few times a second
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random

from triplewire.network import messages as messages
from triplewire.network.effects import Action, Effect, RelayReceived, SendMessage
from triplewire.network.hypercube.broadcast import Broadcasts
from triplewire.network.hypercube.cube import Cube
from triplewire.network.hypercube.failure_detection import FailureDetector
from triplewire.network.hypercube.members import Members
from triplewire.network.hypercube.membership import Membership, Stage
from triplewire.network.link_table import LinkTable
from triplewire.network.messages import Description, LinkFrame, Member, Message, Packet, Publication, StandingQuery
from triplewire.network.routing.router import Router
from triplewire.network.routing.subscriptions.event_matching import EventMatcher
from triplewire.network.routing.subscriptions.reasoner import Reasoner
from triplewire.network.saved_state import SavedSuperPeer
from triplewire.network.timings import Timings

_NOTHING_SAVED = SavedSuperPeer()


class SuperPeer:
    """One super-peer. `head` is the end of its own log, `saved` the state of an earlier process."""

    def __init__(
        self,
        member_id: str,
        address: str,
        reasoner: Reasoner,
        rng: Random,
        timings: Timings = Timings(),  # noqa: B008  frozen
        saved: SavedSuperPeer | None = None,
        head: int = 0,
        matcher: EventMatcher | None = None,
    ) -> None:
        saved = saved or _NOTHING_SAVED
        self.id = member_id
        self.starts = saved.starts + 1
        self._timings = timings
        self._watermarks = dict(saved.watermarks) | {member_id: head}
        me = Member(member_id, address, start=head)
        self._membership = Membership(me, saved.members, self._watermarks, rng, timings)
        self._failure_detector = FailureDetector(member_id, self.members, rng, timings)
        self._broadcasts = Broadcasts(member_id, self.members, timings.remember_broadcasts)
        self.router = Router(member_id, self.members, reasoner, self._watermarks, matcher)
        self._links = LinkTable(member_id, self.members, self.starts, timings.retry)
        self._routed_digest = 0
        self._last_place: int | None = None
        self._heartbeat_at = float("-inf")
        self._digest_mismatches: dict[str, int] = {}
        self._expiries: dict[tuple[str, str], float] = {}

    # Reading

    @property
    def members(self) -> Members:
        return self._membership.members

    @property
    def stage(self) -> Stage:
        return self._membership.stage

    @property
    def is_in(self) -> bool:
        """Whether this super-peer is a member of the network."""
        return self.stage is Stage.IN

    @property
    def place(self) -> int | None:
        """The place in the cube."""
        return self.members.place_of.get(self.id)

    @property
    def cube(self) -> Cube:
        return self.members.cube

    @property
    def is_flushed(self) -> bool:
        """Whether everything that was sent is acknowledged."""
        return self._links.is_flushed

    @property
    def sent(self) -> Counter[str]:
        """How many messages of each kind were sent."""
        return self._links.sent

    def saved_state(self) -> SavedSuperPeer:
        """The state that has to survive a restart. Events that were accepted before must be on the disk first."""
        return SavedSuperPeer(members=self.members.all, watermarks=dict(self._watermarks), starts=self.starts)

    # Joining and leaving

    def start(self, now: float, seeds: Sequence[str] = ()) -> list[Effect]:
        """Join at one of these addresses or at a saved member; with neither, found a network."""
        before = [member.address for member in self.members.all if member.id != self.id]
        asked = [*seeds, *(address for address in before if address not in seeds)]
        known = self.members.get(self.id)
        if known is not None:
            self._membership.resume_as(known)
        if not asked:
            return self._to_effects(now, self._membership.found_network())
        return self._to_effects(now, self._membership.join(now, asked))

    def start_with_saved_members(self, now: float) -> list[Effect]:
        """Start with the saved members, without joining: for networks that are prepared as a whole."""
        return self._to_effects(now, self._membership.use_saved_members())

    def leave(self, now: float) -> list[Effect]:
        """Leave the network. Wait until `is_flushed`, before and after."""
        return self._to_effects(now, self._membership.leave(now))

    def tick(self, now: float) -> list[Effect]:
        """Do what is due."""
        actions = [*self._membership.tick(now), *self._expire(now)]
        if self.is_in and now - self._heartbeat_at >= self._timings.heartbeat:
            self._heartbeat_at = now
            actions += self._heartbeat(now)
        actions += self.router.watermarks.flush_recalls()
        return [*self._to_effects(now, actions), *self._tick_links(now)]

    # Our own peers

    def subscribe(self, now: float, query: StandingQuery, peer: str) -> list[Effect]:
        """Add a subscription of one of our peers."""
        return self._to_effects(now, self.router.subscribe(query, peer))

    def unsubscribe(self, now: float, key: str, peer: str) -> list[Effect]:
        """Remove a subscription of one of our peers."""
        return self._to_effects(now, self.router.unsubscribe(key, peer))

    def advertise(self, now: float, description: Description, peer: str, lasts: float | None = None) -> list[Effect]:
        """Add an advertisement of one of our peers; it expires after `lasts` unless it is repeated."""
        self._expiries.pop((description.key, peer), None)
        if lasts is not None:
            self._expiries[description.key, peer] = now + lasts
        return self._to_effects(now, self.router.advertise(description, peer))

    def withdraw(self, now: float, key: str, peer: str) -> list[Effect]:
        """Withdraw an advertisement. It still counts for a while, for what was published under it."""
        self._expiries[key, peer] = now + self._timings.withdraw_after
        return self._to_effects(now, self._expire(now))

    def published(self, now: float, publications: Sequence[Publication]) -> list[Effect]:
        """Route events that were appended to our log, in this order."""
        return self._to_effects(now, self.router.published(publications))

    def replayed(self, now: float, ticket: int, publications: Sequence[Publication], upto: int) -> list[Effect]:
        """Route what was read of our log for a `Replay`: everything up to a position."""
        return self._to_effects(now, self.router.replayed(ticket, publications, upto))

    def recall(self, now: float, since: Mapping[str, int]) -> list[Effect]:
        """Recall what follows these watermarks, for a peer that moved here from another access point."""
        self.router.watermarks.recall(since)
        return self._to_effects(now, [])

    # Other super-peers

    def relay(self, now: float, to: str, body: bytes) -> list[Effect]:
        """Send a message to another access point."""
        return self._to_effects(now, [SendMessage(to, messages.Relayed(body))])

    def broadcast(self, now: float, body: bytes) -> list[Effect]:
        """Send a message to every super-peer."""
        return self._to_effects(now, self._broadcasts.begin(now, body, self.starts))

    def receive(self, now: float, sender: str, packet: Packet) -> list[Effect]:
        """Receive a packet from another super-peer, which the transport has identified."""
        if isinstance(packet, LinkFrame):
            return self._receive_frame(now, sender, packet)
        if isinstance(packet, messages.Join):
            return self._to_effects(now, self._membership.join_requested(now, sender, packet))
        if isinstance(packet, messages.JoinAccepted):
            return self._to_effects(now, self._membership.welcomed(now, packet))
        if isinstance(packet, messages.Alive):
            return self._to_effects(now, self._membership.alive_received(now, sender, packet, self._network_size(now)))
        if isinstance(packet, messages.Expelled):
            return self._to_effects(now, self._membership.expelled(now, sender, packet, self._network_size(now)))
        if not self.members.is_alive(sender):
            return self._reject_sender(now, sender)
        if isinstance(packet, messages.Probe):
            return self._to_effects(now, self._failure_detector.probed(now, sender, packet))
        return self._to_effects(now, self._failure_detector.answered(now, sender, packet))

    # Private: receiving over a link

    def _receive_frame(self, now: float, sender: str, frame: LinkFrame) -> list[Effect]:
        if self.stage is Stage.LEFT:
            return self._links.receive(now, sender, frame)[1]
        if not self.members.is_alive(sender) or not self.is_in:
            return self._reject_sender(now, sender)
        received, effects = self._links.receive(now, sender, frame)
        if self._links.answered_at(sender) == now:
            self._failure_detector.mark_answered(now, sender)
        if received.restarted:
            effects += self._to_effects(now, self.router.restarted(sender))
        for message in received.messages:
            effects += self._to_effects(now, self._dispatch(now, sender, message))
        return effects

    def _dispatch(self, now: float, sender: str, message: Message) -> list[Action]:
        match message:
            case messages.Notify():
                return self.router.notified(sender, message)
            case messages.Subscribe():
                return self.router.subscribed(sender, message)
            case messages.Advertise():
                return self.router.advertised(sender, message)
            case messages.WatermarkUpdate():
                return self.router.watermarks_received(sender, message)
            case messages.Attach():
                return self.router.attach(sender, message)
            case messages.Detach():
                return self.router.detach(sender, message)
            case messages.Detached():
                return self.router.detached(sender, message)
            case messages.Relayed():
                return [RelayReceived(sender, message.body)]
            case _:
                return self._dispatch_membership(now, sender, message)

    def _dispatch_membership(self, now: float, sender: str, message: Message) -> list[Action]:
        match message:
            case messages.Heartbeat():
                return self._compare_digests(now, sender, message.digest)
            case messages.MembershipChange():
                return self._membership.apply_changes(now, message)
            case messages.MembershipTable():
                return self._membership.exchange_tables(now, sender, message)
            case messages.Broadcast():
                return self._broadcasts.receive(now, message)
            case messages.RecentBroadcasts():
                return self._broadcasts.answer_recent(sender, message)
        raise TypeError(f"wanted a message between super-peers, found {type(message).__name__}")

    def _reject_sender(self, now: float, sender: str) -> list[Effect]:
        known = self.members.get(sender)
        address = None if known is None else known.address
        return self._to_effects(now, self._membership.reject_sender(now, sender, address, self._network_size(now)))

    # Private: time

    def _heartbeat(self, now: float) -> list[Action]:
        neighbours = self._neighbours()
        idle = [other for other in neighbours if self._links.is_idle(other)]
        actions: list[Action] = [SendMessage(other, messages.Heartbeat(self.members.digest)) for other in idle]
        actions += self._failure_detector.check(now, neighbours, lambda other: self._links.silent_for(now, other))
        for other in self._failure_detector.failed_members(now):
            actions += self._membership.declare_failed(now, other)
        actions += self._broadcasts.tick(now, frozenset(neighbours))
        return [*actions, *self.router.drop_stale_attachments(), *self.router.watermarks.announce()]

    def _neighbours(self) -> list[str]:
        place = self.place
        if place is None:
            return []
        places = {*self.cube.neighbours(place), *(other for other, _ in self.cube.choosers(place))}
        return [self.members.places[other] for other in sorted(places)]

    def _tick_links(self, now: float) -> list[Effect]:
        effects, restarted = self._links.tick(now)
        return [
            *effects,
            *(effect for other in restarted for effect in self._to_effects(now, self.router.restarted(other))),
        ]

    def _expire(self, now: float) -> list[Action]:
        due = [name for name, at in self._expiries.items() if at <= now]
        actions: list[Action] = []
        for key, peer in due:
            del self._expiries[key, peer]
            actions += self.router.withdraw(key, peer)
        return actions

    def _compare_digests(self, now: float, sender: str, digest: int) -> list[Action]:
        """Exchange tables with a neighbour whose digest has differed for more than one heartbeat."""
        if digest == self.members.digest:
            self._digest_mismatches.pop(sender, None)
            return []
        self._digest_mismatches[sender] = self._digest_mismatches.get(sender, 0) + 1
        if self._digest_mismatches[sender] < 2:
            return []
        self._digest_mismatches[sender] = 0
        return [SendMessage(sender, messages.MembershipTable(self.members.all, wants=True))]

    def _network_size(self, now: float) -> int:
        return len(self.members.places) if self._failure_detector.has_contact(now) else 1

    # Private: actions become effects

    def _to_effects(self, now: float, actions: Iterable[Action]) -> list[Effect]:
        effects: list[Effect] = []
        for action in actions:
            effects += self._links.send(now, action) if isinstance(action, SendMessage) else [action]
        if self.members.digest != self._routed_digest and self.is_in:
            effects += self._apply_layout(now)
        return effects

    def _apply_layout(self, now: float) -> list[Effect]:
        self._routed_digest = self.members.digest
        moved, self._last_place = self.place != self._last_place, self.place
        return [*self._links.drop_absent(), *self._to_effects(now, self.router.layout_changed(moved))]
