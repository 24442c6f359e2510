"""Super-peers with a peer each, on a bus that loses nothing: what they say is counted, and what it costs them.

Machines get bodies as bytes and peers get requests as values; the time of a machine includes reading and writing
bodies. Nothing is due here but what follows, so heartbeats and exchanges, which go on at any rate, are not counted.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterable
from functools import lru_cache

from benchmarks.rules_network import workload
from triplewire.federation.codec import decode
from triplewire.federation.delivery import Acknowledgement
from triplewire.federation.execution.effects import ToPeer, UnitAborted, UnitCommitted, UnitScheduled
from triplewire.federation.execution.messages import ActionInstance, SubQuery
from triplewire.federation.indexes.group_index import PeerView
from triplewire.federation.indexes.network_index import NetworkIndex
from triplewire.federation.inputs import (
    BodyReceived,
    FromPeerReceived,
    Grant,
    Input,
    NetworkChanged,
    PeerJoined,
    Register,
)
from triplewire.federation.machine import MachineSetup, RuleMachine
from triplewire.federation.outputs import Broadcast, Output, Relay, RuleRegistered
from triplewire.federation.registration.records import RuleRecord
from triplewire.federation.registration.registrar import Registrar
from triplewire.federation.sites.privileges import Access, Privileges
from triplewire.federation.sites.requests import FromSuperPeer
from triplewire.federation.sites.site import PeerSite
from triplewire.languages.rdftl import parse_updates
from triplewire.network.hypercube.cube import Cube
from triplewire.rules.graphs import Lookup
from triplewire.rules.schema import Schema

ACKNOWLEDGEMENT = Acknowledgement.__name__
_SAME_FOR_ALL = (ActionInstance.__name__, SubQuery.__name__)
_OPEN = Privileges(otherwise=Access.READ_WRITE)
_STEP = 0.001


@lru_cache(maxsize=4)
def _everything(whole: Schema) -> PeerView:
    """One who has data of all that there is."""
    return PeerView(whole, frozenset(whole.classes | whole.properties))


class Everybody(NetworkIndex):
    """The rival: nobody knows what others have, so everybody is asked for everything and sent everything."""

    def view(self, super_peer: str) -> PeerView | None:
        return _everything(self._whole.current)

    def readable(self, lookup: Lookup, others: Iterable[str]) -> Iterable[str]:
        return others


class Hoarder(Registrar):
    """The rival: whoever hears of a rule keeps a replica."""

    def _keep(self, records: tuple[RuleRecord, ...] | list[RuleRecord]) -> None:
        for record in records:
            self.base.add(record)


class Town:
    """A network of one size. `messages` and `hops` are by kind; `cpu` is of all machines, `site_cpu` of all peers."""

    def __init__(self, size: int, *, relevance: bool) -> None:
        self.size = size
        self.relevance = relevance
        self.now = 0.0
        self.messages: Counter[str] = Counter()
        self.hops: Counter[str] = Counter()
        self.cpu = self.site_cpu = 0.0
        self.scheduled = self.committed = self.aborted = 0
        self._queue: deque[tuple[str, str, bytes | FromSuperPeer]] = deque()
        self._cube = Cube(size)
        self.names = [f"sp-{place:02}" for place in range(size)]
        self._places = {name: place for place, name in enumerate(self.names)}
        whole = workload.schema(*range(workload.topics(size)))
        self.machines = {
            name: RuleMachine(MachineSetup(me=name, whole=whole, seed=place)) for name, place in self._places.items()
        }
        self.sites: dict[str, PeerSite] = {}
        for name, machine in self.machines.items():
            if not relevance:
                machine.rules.network.__class__ = Everybody
                machine.rules.registrar.__class__ = Hoarder
            self._take(name, self._network_of(name))
            self._take(name, Grant(self.now, _OPEN))
        for name in self.names:
            self._join(name)
        self.run()

    # What happens

    def register(self, at: str, text: str) -> str:
        """Register a rule; returns its global identifier once everybody has heard of it."""
        outputs = self._take(at, Register(self.now, text, self.now))
        self.run()
        return next(output.rule for output in outputs if isinstance(output, RuleRegistered))

    def change(self, at: str, text: str) -> None:
        """The peer of a super-peer changes by itself, and everything follows."""
        begun = time.process_time()
        told = self.sites[at].change(parse_updates(text))
        self.site_cpu += time.process_time() - begun
        self._take(at, FromPeerReceived(self.now, at, told))
        self.run()

    def run(self) -> None:
        """Let everything happen that follows."""
        while self._queue:
            sender, to, what = self._queue.popleft()
            self.now += _STEP
            if isinstance(what, bytes):
                self._take(to, BodyReceived(self.now, sender, what))
            else:
                begun = time.process_time()
                answer = self.sites[to].receive(what)
                self.site_cpu += time.process_time() - begun
                if answer is not None:
                    self._take(to, FromPeerReceived(self.now, to, answer))

    def reset(self) -> None:
        """Begin to count anew."""
        self.messages.clear()
        self.hops.clear()
        self.cpu = self.site_cpu = 0.0
        self.scheduled = self.committed = self.aborted = 0

    # Reading

    @property
    def replicas(self) -> int:
        """Rules that are held, all super-peers together."""
        return sum(len(machine.rules.registrar.base) for machine in self.machines.values())

    # Private

    def _network_of(self, name: str) -> NetworkChanged:
        others = tuple(other for other in self.names if other != name)
        onward = tuple((higher, self.names[other]) for higher, other in self._cube.onward(self._places[name], -1))
        return NetworkChanged(self.now, others, others, onward)

    def _join(self, name: str) -> None:
        """The peer of a super-peer has the super-peer's name."""
        topic = workload.topic_of(self._places[name], self.size)
        site = self.sites[name] = PeerSite(name, workload.schema(topic))
        site.load(workload.triples(topic))
        self._take(name, PeerJoined(self.now, name, site.view, site.stream.next_serial))

    def _take(self, at: str, given: Input) -> list[Output]:
        begun = time.process_time()
        outputs = self.machines[at].take(given)
        self.cpu += time.process_time() - begun
        for output in outputs:
            match output:
                case Relay(to, data):
                    self._count(data, 1, self._distance(at, to))
                    self._queue.append((at, to, data))
                case Broadcast(data):
                    self._count(data, self.size - 1, self.size - 1)
                    self._queue.extend(("", other, data) for other in self.names if other != at)
                case ToPeer(to, request):
                    self._queue.append((at, to, request))
                case UnitScheduled():
                    self.scheduled += 1
                case UnitCommitted():
                    self.committed += 1
                case UnitAborted():
                    self.aborted += 1
        return outputs

    def _count(self, data: bytes, messages: int, hops: int) -> None:
        body = decode(data)
        kind = type(body if isinstance(body, Acknowledgement) else body.message).__name__
        self.messages[kind] += messages
        # Who sends the same to everybody broadcasts it over the cube, one hop for each that hears it.
        self.hops[kind] += messages if not self.relevance and kind in _SAME_FOR_ALL else hops

    def _distance(self, one: str, other: str) -> int:
        """Hops over the cube, if every message took its edges."""
        place, end, hops = self._places[one], self._places[other], 0
        while place != end:
            place = self._cube.next_towards(place, end)
            hops += 1
        return hops
