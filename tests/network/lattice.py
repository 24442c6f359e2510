"""Super-peers that know each other, on a network without delay or loss: what is said is what the rules say."""

from __future__ import annotations

from collections import Counter, deque
from random import Random

from triplewire.algebra import Advertisement
from triplewire.network.effects import Accept, Effect, Replay, SendPacket
from triplewire.network.messages import Description, LinkFrame, Member, Packet, Publication, StandingQuery, Subscribe
from triplewire.network.routing.advertisements.descriptions import describe
from triplewire.network.routing.subscriptions.reasoner import AlgebraReasoner
from triplewire.network.routing.subscriptions.standing_queries import standing_query
from triplewire.network.saved_state import SavedSuperPeer
from triplewire.network.superpeer import SuperPeer
from triplewire.network.timings import Timings

DC = "http://purl.org/dc/elements/1.1/"
LOM = "http://www.imsproject.org/rdf/imsmd_educationalv1p2#"


def asking(conditions: str = "") -> StandingQuery:
    """A subscription for things with a title and a date, under conditions on ?t and ?d."""
    return standing_query("sparql", f"SELECT ?s {{ ?s <{DC}title> ?t ; <{DC}date> ?d . {conditions} }}")


def offering(*namespaces: str) -> Description:
    return describe([Advertisement.schemas(namespaces)])


class Lattice:
    """N super-peers called 0 to N-1, each in the place of its name. A withdrawal counts at once, unless it lingers."""

    def __init__(self, size: int, linger: float = 0.0) -> None:
        self.now = 100.0
        members = tuple(Member(str(place), f"at {place}", claim=place) for place in range(size))
        reasoner = AlgebraReasoner()
        self.peers: dict[str, SuperPeer] = {}
        self.logs: dict[str, list[Publication]] = {}
        self.accepted: list[tuple[str, str]] = []
        self.delivered: list[tuple[str, str, Packet]] = []
        self._in_flight: deque[tuple[str, str, Packet]] = deque()
        for member in members:
            self.logs[member.id] = []
            self.peers[member.id] = SuperPeer(
                member.id,
                member.address,
                reasoner,
                Random(0),
                Timings(withdraw_after=linger),
                SavedSuperPeer(members=members),
            )
        for name, peer in self.peers.items():
            self.carry(name, peer.start(self.now))
        self.pass_time(10)

    # What happens

    def carry(self, name: str, effects: list[Effect]) -> None:
        """Do what is wanted, and all that follows from it."""
        self._note(name, effects)
        for _ in range(200_000):
            if not self._in_flight:
                return
            sender, to, packet = self._in_flight.popleft()
            if to in self.peers:
                self.delivered.append((sender, to, packet))
                self._note(to, self.peers[to].receive(self.now, sender, packet))
        raise AssertionError("wanted super-peers that come to rest, found none")

    def _note(self, name: str, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, SendPacket):
                self._in_flight.append((name, effect.to.removeprefix("at "), effect.packet))
            elif isinstance(effect, Accept):
                self.accepted.append((name, effect.publication.event))
            elif isinstance(effect, Replay):
                log = self.logs[name]
                rest = [publication for publication in log if publication.position > effect.after]
                self._note(name, self.peers[name].replayed(self.now, effect.ticket, rest, len(log)))

    def pass_time(self, seconds: float) -> None:
        for _ in range(int(seconds / 0.2)):
            self.now += 0.2
            for name in list(self.peers):
                self.carry(name, self.peers[name].tick(self.now))

    def lose(self, name: str) -> None:
        """A super-peer is gone without a word."""
        del self.peers[name]

    # What peers do

    def subscribe(self, name: str, query: StandingQuery, peer: str = "bob") -> None:
        self.carry(name, self.peers[name].subscribe(self.now, query, peer))

    def unsubscribe(self, name: str, query: StandingQuery, peer: str = "bob") -> None:
        self.carry(name, self.peers[name].unsubscribe(self.now, query.key, peer))

    def advertise(self, name: str, description: Description, peer: str = "alice", lasts: float | None = None) -> None:
        self.carry(name, self.peers[name].advertise(self.now, description, peer, lasts))

    def withdraw(self, name: str, description: Description, peer: str = "alice") -> None:
        self.carry(name, self.peers[name].withdraw(self.now, description.key, peer))

    def publish(self, name: str, event: str, date: int = 2004, title: str = "On tripwires") -> None:
        log = self.logs[name]
        quads = (
            f'<{event}#it> <{DC}date> "{date}"^^<http://www.w3.org/2001/XMLSchema#integer> <{event}> .\n'
            f'<{event}#it> <{DC}title> "{title}" <{event}> .\n'
        )
        publication = Publication(name, len(log) + 1, event, "alice", "2004-01-01T00:00:00+00:00", None, quads.encode())
        log.append(publication)
        self.carry(name, self.peers[name].published(self.now, [publication]))

    # What is seen

    def sent(self) -> Counter[str]:
        """How many messages of each kind were said so far, by all."""
        return sum((peer.sent for peer in self.peers.values()), Counter())

    def messages(self, kind: type) -> int:
        return self.sent()[kind.__name__]

    def holders(self, query: StandingQuery) -> set[str]:
        """Who knows of a subscription."""
        return {name for name, peer in self.peers.items() if query.key in peer.router.poset}

    def subscriptions_to(self, name: str) -> list[tuple[str, Subscribe]]:
        """Subscriptions that arrived at a super-peer, with the sender; a retransmission would show."""
        frames = [
            (sender, packet) for sender, to, packet in self.delivered if to == name and isinstance(packet, LinkFrame)
        ]
        return [(sender, frame.message) for sender, frame in frames if isinstance(frame.message, Subscribe)]
