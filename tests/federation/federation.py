"""Super-peers with peers on a bus that keeps everything in order, for tests that say what happens when."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable
from random import Random

from tests.rules.execution.town import PREAMBLE
from tests.rules.family import EX, FAMILY

from triplewire.federation.effects import Effect, ToAll, ToSuperPeer
from triplewire.federation.execution.coordinator import Effects
from triplewire.federation.execution.effects import (
    Happening,
    NotScheduled,
    SealedStays,
    ToPeer,
    UnitAborted,
    UnitScheduled,
)
from triplewire.federation.execution.units import Status, Unit
from triplewire.federation.messages import Message
from triplewire.federation.overlay import CubeOverlay
from triplewire.federation.policy import Policy
from triplewire.federation.sites.privileges import Access, Privileges
from triplewire.federation.sites.requests import FromPeer, FromSuperPeer
from triplewire.federation.sites.site import PeerSite
from triplewire.federation.super_peer import RuleSuperPeer
from triplewire.languages.rdftl import parse_rule, parse_updates
from triplewire.languages.rdftl.syntax import Abort
from triplewire.network.hypercube.members import Members
from triplewire.network.messages import Member
from triplewire.rdf.terms import Literal, Triple
from triplewire.rules.execution.units import Commutes, none_commutes
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import TYPE

OPEN = Privileges(otherwise=Access.READ_WRITE)
Step = tuple[str, str, Message | FromSuperPeer | FromPeer]


class Federation:
    """Super-peers SP1, SP2 and so on. Nothing happens before `run`."""

    def __init__(
        self,
        size: int,
        whole: Schema = FAMILY,
        *,
        commutes: Commutes = none_commutes,
        depth: int = 100,
        preamble: str = PREAMBLE,
        common: Schema | None = None,
    ) -> None:
        self.whole = whole
        self.preamble = preamble
        names = [f"SP{number}" for number in range(1, size + 1)]
        self.members = Members([Member(name, name, claim=place) for place, name in enumerate(names)])
        known = whole if common is None else common
        policy = Policy(commutes=commutes, depth=depth)
        self.super_peers = {
            name: RuleSuperPeer(name, known, CubeOverlay(name, self.members), Random(7), OPEN, policy=policy)
            for name in names
        }
        self.sites: dict[str, PeerSite] = {}
        self.super_peer_of: dict[str, str] = {}
        self.gone: set[str] = set()
        self.happened: list[Happening] = []
        self.sent: Counter[str] = Counter()
        self.holds: Callable[[Step], bool] = lambda step: False
        self.held: list[Step] = []
        self.now = 0.0
        self._queue: deque[Step] = deque()

    # Peers and rules

    def peer(self, at: str, name: str, *triples: Triple, schema: Schema | None = None) -> PeerSite:
        site = self.sites[name] = PeerSite(name, schema or self.whole)
        site.load(triples)
        self.super_peer_of[name] = at
        self._do(at, self.super_peers[at].join(self.now, name, site.view, site.stream.next_serial))
        self.run()
        return site

    def declare(self, name: str, schema: Schema) -> None:
        """A peer has another schema from now on."""
        at, change = self.super_peer_of[name], self.sites[name].declare(schema)
        self._do(at, self.super_peers[at].declare(self.now, name, schema, change))
        self.run()

    def privileges(self, at: str, privileges: Privileges) -> None:
        self._do(at, self.super_peers[at].grant(self.now, privileges))
        self.run()

    def rule(self, at: str, text: str, *, name: str = "r", abort: Abort | None = None) -> str:
        rule = parse_rule(f"RULE {name} {self.preamble}{text}")
        found, effects = self.super_peers[at].register(self.now, rule, time=self.now, abort=abort)
        self._do(at, effects)
        self.run()
        return found

    def submit(self, peer: str, text: str) -> str:
        """A transaction at a peer; nothing of it has happened before `run`."""
        at = self.super_peer_of[peer]
        unit, effects = self.super_peers[at].submit(self.now, peer, parse_updates(self.preamble + text))
        self._do(at, effects)
        return unit

    def change(self, peer: str, text: str) -> None:
        """A peer changes by itself. If it is here, its super-peer hears of that with the next `run`."""
        told = self.sites[peer].change(parse_updates(self.preamble + text))
        if peer not in self.gone:
            self._queue.append((peer, self.super_peer_of[peer], told))

    def leave(self, peer: str) -> None:
        self.gone.add(peer)
        at = self.super_peer_of[peer]
        self._do(at, self.super_peers[at].leave(self.now, peer))

    def come_back(self, peer: str) -> None:
        self.gone.discard(peer)
        at, site = self.super_peer_of[peer], self.sites[peer]
        self._do(at, self.super_peers[at].join(self.now, peer, site.view, site.stream.next_serial))
        self._queue.extend((peer, at, told) for told in site.stream.to_repeat)

    def abort(self, unit: str, reason: str = "asked to") -> None:
        at = unit.partition("/")[0]
        self._do(at, self.super_peers[at].coordinator.abort(self.now, unit, reason))

    def act(self, at: str, effects: Effects) -> None:
        """Take what a test has got out of a super-peer; nothing of it has happened before `run`."""
        self._do(at, effects)

    # Time

    def run(self) -> None:
        """Let everything happen that follows, but for what is held."""
        while self._queue:
            step = self._queue.popleft()
            if self.holds(step):
                self.held.append(step)
            else:
                self._take(step)

    def release(self) -> None:
        """Let what was held go on."""
        self.holds = lambda step: False
        self._queue.extendleft(reversed(self.held))
        self.held.clear()
        self.run()

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        for _ in range(int(seconds)):
            self.now += 1.0
            for name, super_peer in self.super_peers.items():
                self._do(name, super_peer.tick(self.now))
            self.run()

    # Reading

    @property
    def merged(self) -> set[Triple]:
        """What is asserted somewhere."""
        return {triple for site in self.sites.values() for triple in site.repository.asserted}

    def unit(self, name: str) -> Unit:
        return self.super_peers[name.partition("/")[0]].coordinator.state.units[name]

    def units(self, rule: str | None = None) -> list[Unit]:
        """All units, or those of one rule, in the order in which they were scheduled."""
        scheduled = [one for one in self.happened if isinstance(one, UnitScheduled)]
        return [self.unit(one.unit) for one in scheduled if rule is None or one.rule == rule]

    def status(self, rule: str) -> list[Status]:
        return [unit.status for unit in self.units(rule)]

    def arcs(self, at: str) -> set[tuple[str, str]]:
        return set(self.super_peers[at].coordinator.state.aborts.arcs)

    @property
    def aborted(self) -> set[str]:
        return {one.unit for one in self.happened if isinstance(one, UnitAborted)}

    @property
    def sealed(self) -> list[str]:
        """What peers have changed by themselves, in the order in which that was heard of."""
        return [one.unit for one in self.happened if isinstance(one, UnitScheduled) and one.is_sealed]

    @property
    def stayed(self) -> set[str]:
        return {one.unit for one in self.happened if isinstance(one, SealedStays)}

    @property
    def not_scheduled(self) -> list[str]:
        return [one.reason for one in self.happened if isinstance(one, NotScheduled)]

    # Private

    def _do(self, at: str, effects: Effects | Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case ToPeer(to, request):
                    self._queue.append((at, to, request))
                case ToSuperPeer(to, message):
                    self.sent[type(message).__name__] += 1
                    self._queue.append((at, to, message))
                case ToAll(message):
                    self.sent[type(message).__name__] += len(self.super_peers) - 1
                    self._queue.extend((at, other, message) for other in self.super_peers if other != at)
                case _:
                    self.happened.append(effect)

    def _take(self, step: Step) -> None:
        sender, to, what = step
        if sender in self.sites:
            self._do(to, self.super_peers[to].reply(self.now, sender, what))  # type: ignore[arg-type]
        elif to in self.super_peers:
            self._do(to, self.super_peers[to].receive(self.now, sender, what))  # type: ignore[arg-type]
        elif to not in self.gone:
            answer = self.sites[to].receive(what)  # type: ignore[arg-type]
            if answer is not None:
                self._do(sender, self.super_peers[sender].reply(self.now, to, answer))


def a(node: str, cls: str) -> Triple:
    return Triple(EX[node], TYPE, EX[cls])


def arc(source: str, name: str, target: str | Literal) -> Triple:
    return Triple(EX[source], EX[name], target if isinstance(target, Literal) else EX[target])


def called(node: str, name: str) -> Triple:
    return arc(node, "name", Literal(name))
