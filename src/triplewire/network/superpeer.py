"""A super-peer: the cube, the links and the router put together, without I/O.

Every method takes the time first, monotonic seconds, and returns effects; the shell around it carries them out. The
same object stands in a node between real sockets and in a simulation between virtual ones.

    peer = SuperPeer("sp-1", "tcp://…", reasoner, rng)
    effects = peer.start(now, seeds=["tcp://…"])
    effects = peer.receive(now, sender, frame)
    effects = peer.tick(now)                       # a few times a second
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random

from triplewire.network import messages as say
from triplewire.network.effects import Deed, Effect, Relay, Say
from triplewire.network.hypercube.broadcast import Broadcasting
from triplewire.network.hypercube.cube import Cube
from triplewire.network.hypercube.failure_detection import Watching
from triplewire.network.hypercube.members import Members
from triplewire.network.hypercube.membership import Membership, Stage
from triplewire.network.link_table import Linking
from triplewire.network.memory import Memory
from triplewire.network.messages import Description, Frame, Member, Message, Publication, Standing, Wire
from triplewire.network.routing.router import Router
from triplewire.network.routing.subscriptions.event_matching import Hearing
from triplewire.network.routing.subscriptions.reasoner import Reasoner
from triplewire.network.timings import Timings

_NOBODY = Memory()


class SuperPeer:
    """One super-peer. `head` is the end of its own log. Whoever restarts one hands in what it remembered."""

    def __init__(
        self,
        member_id: str,
        address: str,
        reasoner: Reasoner,
        rng: Random,
        timings: Timings = Timings(),  # noqa: B008  frozen
        memory: Memory | None = None,
        head: int = 0,
        hearing: Hearing | None = None,
    ) -> None:
        memory = memory or _NOBODY
        self.id = member_id
        self.starts = memory.starts + 1
        self._timings = timings
        self._heard = dict(memory.heard) | {member_id: head}
        me = Member(member_id, address, start=head)
        self._membership = Membership(me, memory.members, self._heard, rng, timings)
        self._watching = Watching(member_id, self.members, rng, timings)
        self._broadcasting = Broadcasting(member_id, self.members, timings.remember)
        self.router = Router(member_id, self.members, reasoner, self._heard, hearing)
        self._linking = Linking(member_id, self.members, self.starts, timings.retry)
        self._seen = 0
        self._stood: int | None = None
        self._beat_at = float("-inf")
        self._strange: dict[str, int] = {}
        self._expiries: dict[tuple[str, str], float] = {}

    # To look at

    @property
    def members(self) -> Members:
        return self._membership.members

    @property
    def stage(self) -> Stage:
        return self._membership.stage

    @property
    def is_in(self) -> bool:
        """Whether this super-peer is one of the network."""
        return self.stage is Stage.IN

    @property
    def slot(self) -> int | None:
        """The place in the cube."""
        return self.members.place_of.get(self.id)

    @property
    def cube(self) -> Cube:
        return self.members.cube

    @property
    def is_flushed(self) -> bool:
        """Whether everything that was said is acknowledged."""
        return self._linking.is_flushed

    @property
    def said(self) -> Counter[str]:
        """How many messages of each kind were said."""
        return self._linking.said

    def memory(self) -> Memory:
        """What is to survive a restart. What was accepted before has to be on the disk first."""
        return Memory(members=self.members.all, heard=dict(self._heard), starts=self.starts)

    # Coming and going

    def start(self, now: float, seeds: Sequence[str] = ()) -> list[Effect]:
        """Join at one of these addresses or where we were before; with neither, found a network."""
        before = [member.address for member in self.members.all if member.id != self.id]
        asked = [*seeds, *(address for address in before if address not in seeds)]
        known = self.members.get(self.id)
        if known is not None:
            self._membership.begin_again(known)
        if not asked:
            return self._done(now, self._membership.found())
        return self._done(now, self._membership.join(now, asked))

    def assume(self, now: float) -> list[Effect]:
        """Start among those of the memory, without asking: for networks that are prepared as a whole."""
        return self._done(now, self._membership.assume())

    def leave(self, now: float) -> list[Effect]:
        """Say goodbye. Wait until `is_flushed`, before and after."""
        return self._done(now, self._membership.leave(now))

    def tick(self, now: float) -> list[Effect]:
        """Let time pass."""
        deeds = [*self._membership.tick(now), *self._expire(now)]
        if self.is_in and now - self._beat_at >= self._timings.beat:
            self._beat_at = now
            deeds += self._beat(now)
        deeds += self.router.tides.flush()
        return [*self._done(now, deeds), *self._tend(now)]

    # Our own peers

    def subscribe(self, now: float, standing: Standing, peer: str) -> list[Effect]:
        """A peer of ours subscribes."""
        return self._done(now, self.router.subscribe(standing, peer))

    def unsubscribe(self, now: float, key: str, peer: str) -> list[Effect]:
        """A subscription of a peer of ours ends."""
        return self._done(now, self.router.unsubscribe(key, peer))

    def advertise(self, now: float, description: Description, peer: str, lasts: float | None = None) -> list[Effect]:
        """A peer of ours tells what it will publish; it has to say so again before the time is over."""
        self._expiries.pop((description.key, peer), None)
        if lasts is not None:
            self._expiries[description.key, peer] = now + lasts
        return self._done(now, self.router.advertise(description, peer))

    def withdraw(self, now: float, key: str, peer: str) -> list[Effect]:
        """A peer of ours will no longer publish that. It counts for a while yet, for what was published before."""
        self._expiries[key, peer] = now + self._timings.linger
        return self._done(now, self._expire(now))

    def published(self, now: float, publications: Sequence[Publication]) -> list[Effect]:
        """Events were written to our log, in this order."""
        return self._done(now, self.router.published(publications))

    def replayed(self, now: float, ticket: int, publications: Sequence[Publication], upto: int) -> list[Effect]:
        """What was read of our log: everything up to a position."""
        return self._done(now, self.router.replayed(ticket, publications, upto))

    def recall(self, now: float, since: Mapping[str, int]) -> list[Effect]:
        """A peer of ours has come from elsewhere, where it was told everything up to these positions: hear the rest."""
        self.router.tides.recall(since)
        return self._done(now, [])

    # Others

    def relay(self, now: float, to: str, body: bytes) -> list[Effect]:
        """Say something to another access point."""
        return self._done(now, [Say(to, say.Relayed(body))])

    def broadcast(self, now: float, body: bytes) -> list[Effect]:
        """Say something to every super-peer."""
        return self._done(now, self._broadcasting.begin(now, body, self.starts))

    def receive(self, now: float, sender: str, what: Wire) -> list[Effect]:
        """Something came from another super-peer, which the transport has identified."""
        if isinstance(what, Frame):
            return self._framed(now, sender, what)
        if isinstance(what, say.Join):
            return self._done(now, self._membership.asked(now, sender, what))
        if isinstance(what, say.Welcome):
            return self._done(now, self._membership.welcomed(now, what))
        if isinstance(what, say.Alive):
            return self._done(now, self._membership.alive(now, sender, what, self._strength(now)))
        if isinstance(what, say.Outcast):
            return self._done(now, self._membership.outcast(now, sender, what, self._strength(now)))
        if not self.members.is_alive(sender):
            return self._stranger(now, sender)
        if isinstance(what, say.Probe):
            return self._done(now, self._watching.probed(now, sender, what))
        return self._done(now, self._watching.answered(now, sender, what))

    # Private: what comes over a link

    def _framed(self, now: float, sender: str, frame: Frame) -> list[Effect]:
        if self.stage is Stage.LEFT:
            return self._linking.receive(now, sender, frame)[1]
        if not self.members.is_alive(sender) or not self.is_in:
            return self._stranger(now, sender)
        received, effects = self._linking.receive(now, sender, frame)
        if self._linking.answered_at(sender) == now:
            self._watching.heard(now, sender)
        if received.restarted:
            effects += self._done(now, self.router.restarted(sender))
        for message in received.messages:
            effects += self._done(now, self._heed(now, sender, message))
        return effects

    def _heed(self, now: float, sender: str, message: Message) -> list[Deed]:
        match message:
            case say.Notify():
                return self.router.notified(sender, message)
            case say.Subscribe():
                return self.router.subscribed(sender, message)
            case say.Advertise():
                return self.router.advertised(sender, message)
            case say.Tide():
                return self.router.rose(sender, message)
            case say.Attach():
                return self.router.attach(sender, message)
            case say.Detach():
                return self.router.detach(sender, message)
            case say.Detached():
                return self.router.detached(sender, message)
            case say.Relayed():
                return [Relay(sender, message.body)]
            case _:
                return self._heed_cube(now, sender, message)

    def _heed_cube(self, now: float, sender: str, message: Message) -> list[Deed]:
        match message:
            case say.Beat():
                return self._compared(now, sender, message.digest)
            case say.Changed():
                return self._membership.changed(now, message)
            case say.Table():
                return self._membership.compare(now, sender, message)
            case say.Broadcast():
                return self._broadcasting.take(now, message)
            case say.Recent():
                return self._broadcasting.missing(sender, message)
        raise TypeError(f"wanted a message between super-peers, found {type(message).__name__}")

    def _stranger(self, now: float, sender: str) -> list[Effect]:
        known = self.members.get(sender)
        address = None if known is None else known.address
        return self._done(now, self._membership.strange(now, sender, address, self._strength(now)))

    # Private: time

    def _beat(self, now: float) -> list[Deed]:
        neighbours = self._neighbours()
        idle = [other for other in neighbours if self._linking.is_idle(other)]
        deeds: list[Deed] = [Say(other, say.Beat(self.members.digest)) for other in idle]
        deeds += self._watching.look(now, neighbours, lambda other: self._linking.silence(now, other))
        for other in self._watching.verdicts(now):
            deeds += self._membership.fail(now, other)
        deeds += self._broadcasting.tick(now, frozenset(neighbours))
        return [*deeds, *self.router.settle(), *self.router.tides.tell()]

    def _neighbours(self) -> list[str]:
        place = self.slot
        if place is None:
            return []
        places = {*self.cube.neighbours(place), *(other for other, _ in self.cube.choosers(place))}
        return [self.members.places[other] for other in sorted(places)]

    def _tend(self, now: float) -> list[Effect]:
        effects, anew = self._linking.tend(now)
        return [*effects, *(effect for other in anew for effect in self._done(now, self.router.restarted(other)))]

    def _expire(self, now: float) -> list[Deed]:
        due = [name for name, at in self._expiries.items() if at <= now]
        deeds: list[Deed] = []
        for key, peer in due:
            del self._expiries[key, peer]
            deeds += self.router.withdraw(key, peer)
        return deeds

    def _compared(self, now: float, sender: str, digest: int) -> list[Deed]:
        """Exchange tables with a neighbour whose table has been another for more than one beat."""
        if digest == self.members.digest:
            self._strange.pop(sender, None)
            return []
        self._strange[sender] = self._strange.get(sender, 0) + 1
        if self._strange[sender] < 2:
            return []
        self._strange[sender] = 0
        return [Say(sender, say.Table(self.members.all, wants=True))]

    def _strength(self, now: float) -> int:
        return len(self.members.places) if self._watching.hears_anybody(now) else 1

    # Private: deeds become effects

    def _done(self, now: float, deeds: Iterable[Deed]) -> list[Effect]:
        effects: list[Effect] = []
        for deed in deeds:
            effects += self._linking.say(now, deed) if isinstance(deed, Say) else [deed]
        if self.members.digest != self._seen and self.is_in:
            effects += self._reconsider(now)
        return effects

    def _reconsider(self, now: float) -> list[Effect]:
        self._seen = self.members.digest
        moved, self._stood = self.slot != self._stood, self.slot
        return [*self._linking.drop_absent(), *self._done(now, self.router.reconsider(moved))]
