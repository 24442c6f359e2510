"""Super-peers that know each other, on a network without delay or loss: what is said is what the rules say."""

from __future__ import annotations

from collections import Counter, deque
from random import Random

from triplewire.algebra import Advertisement
from triplewire.network.effects import Accept, Effect, Replay, Send
from triplewire.network.memory import Memory
from triplewire.network.messages import Description, Frame, Member, Publication, Standing, Subscribe, Wire
from triplewire.network.routing.advertisements.descriptions import describe
from triplewire.network.routing.subscriptions.reasoner import AlgebraReasoner
from triplewire.network.routing.subscriptions.standing_queries import standing_of
from triplewire.network.superpeer import SuperPeer
from triplewire.network.timings import Timings

DC = "http://purl.org/dc/elements/1.1/"
LOM = "http://www.imsproject.org/rdf/imsmd_educationalv1p2#"


def asking(conditions: str = "") -> Standing:
    """A subscription for things with a title and a date, under conditions on ?t and ?d."""
    return standing_of("sparql", f"SELECT ?s {{ ?s <{DC}title> ?t ; <{DC}date> ?d . {conditions} }}")


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
        self.heard: list[tuple[str, str, Wire]] = []
        self._flying: deque[tuple[str, str, Wire]] = deque()
        for member in members:
            self.logs[member.id] = []
            self.peers[member.id] = SuperPeer(
                member.id, member.address, reasoner, Random(0), Timings(linger=linger), Memory(members=members)
            )
        for name, peer in self.peers.items():
            self.carry(name, peer.start(self.now))
        self.pass_time(10)

    # What happens

    def carry(self, name: str, effects: list[Effect]) -> None:
        """Do what is wanted, and all that follows from it."""
        self._note(name, effects)
        for _ in range(200_000):
            if not self._flying:
                return
            sender, to, what = self._flying.popleft()
            if to in self.peers:
                self.heard.append((sender, to, what))
                self._note(to, self.peers[to].receive(self.now, sender, what))
        raise AssertionError("wanted super-peers that come to rest, found none")

    def _note(self, name: str, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Send):
                self._flying.append((name, effect.to.removeprefix("at "), effect.what))
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

    def subscribe(self, name: str, standing: Standing, peer: str = "bob") -> None:
        self.carry(name, self.peers[name].subscribe(self.now, standing, peer))

    def unsubscribe(self, name: str, standing: Standing, peer: str = "bob") -> None:
        self.carry(name, self.peers[name].unsubscribe(self.now, standing.key, peer))

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

    def said(self) -> Counter[str]:
        """How many messages of each kind were said so far, by all."""
        return sum((peer.said for peer in self.peers.values()), Counter())

    def messages(self, kind: type) -> int:
        return self.said()[kind.__name__]

    def holders(self, standing: Standing) -> set[str]:
        """Who knows of a subscription."""
        return {name for name, peer in self.peers.items() if standing.key in peer.router.poset}

    def subscriptions_to(self, name: str) -> list[tuple[str, Subscribe]]:
        """Subscriptions that arrived at a super-peer, with the sender; a retransmission would show."""
        frames = [(sender, what) for sender, to, what in self.heard if to == name and isinstance(what, Frame)]
        return [(sender, frame.message) for sender, frame in frames if isinstance(frame.message, Subscribe)]
