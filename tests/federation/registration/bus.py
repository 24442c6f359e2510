"""Registrars of some super-peers on a bus that loses, repeats and partitions; deliveries stand between them and it."""

from __future__ import annotations

from collections import Counter, deque
from random import Random

from tests.rules.family import FAMILY

from triplewire.federation.delivery import Delivery, Item
from triplewire.federation.effects import Effect, ToAll
from triplewire.federation.indexes.group_index import GroupIndex, PeerView
from triplewire.federation.indexes.local_index import IndexChange
from triplewire.federation.indexes.whole_schema import WholeSchema
from triplewire.federation.messages import Message
from triplewire.federation.overlay import CubeOverlay
from triplewire.federation.registration.messages import RulesFound
from triplewire.federation.registration.precedence import Scheme
from triplewire.federation.registration.records import RuleRecord
from triplewire.federation.registration.registrar import Registrar
from triplewire.languages.rdftl.syntax import Abort, Rule
from triplewire.network.hypercube.members import Members
from triplewire.network.messages import Member
from triplewire.rdf.terms import NamedNode


class Station:
    """A super-peer with one peer, whose bits the test sets."""

    def __init__(self, me: str, members: Members, rng: Random, scheme: Scheme) -> None:
        self.group = GroupIndex()
        self.group.join("p", PeerView(FAMILY))
        self.delivery = Delivery(1.0)
        self.registrar = Registrar(
            me, self.group, WholeSchema(me, FAMILY), CubeOverlay(me, members), rng, scheme=scheme
        )


class Bus:
    """Super-peers a, b, c and so on. Time moves in `run`."""

    def __init__(self, size: int, seed: int = 1, *, loss: float = 0.0, scheme: Scheme = Scheme.TIMESTAMP) -> None:
        self.rng = Random(seed)
        self.now = 0.0
        self.loss = loss
        names = [chr(ord("a") + number) for number in range(size)]
        self.members = Members([Member(name, name, claim=place) for place, name in enumerate(names)])
        self.stations = {name: Station(name, self.members, self.rng, scheme) for name in names}
        self.apart: set[str] = set()
        self.sent: Counter[str] = Counter()
        self.found: list[RulesFound] = []
        self._queue: deque[tuple[str, str, Item | Message]] = deque()

    def register(self, at: str, rule: Rule, abort: Abort | None = None) -> str:
        name, effects = self.stations[at].registrar.register(self.now, rule, time=self.now, abort=abort)
        self._do(at, effects)
        return name

    def unregister(self, at: str, rule: str) -> None:
        self._do(at, self.stations[at].registrar.unregister(self.now, rule))

    def grow(self, at: str, *nodes: NamedNode) -> None:
        self._follow(at, IndexChange(grown=frozenset(nodes)))

    def shrink(self, at: str, *nodes: NamedNode) -> None:
        self._follow(at, IndexChange(shrunk=frozenset(nodes)))

    def run(self, seconds: float) -> None:
        """Let time pass: messages arrive, and everybody does what is due, five times a second."""
        for _ in range(int(seconds * 5)):
            self._deliver()
            self.now += 0.2
            for name, station in self.stations.items():
                self._post(name, station.delivery.tick(self.now))
                self._do(name, station.registrar.tick(self.now))
        self._deliver()

    def deliver(self) -> None:
        """Let everything that is on its way arrive, without time passing."""
        self._deliver()

    def held(self, at: str) -> set[str]:
        return {record.id for record in self.stations[at].registrar.base}

    def record(self, rule: str) -> RuleRecord:
        return self.stations[rule.partition(".")[0]].registrar.base[rule]

    def _follow(self, at: str, change: IndexChange) -> None:
        station = self.stations[at]
        group = station.group.follow("p", change)
        station.registrar.base.reconsider(change.grown | change.shrunk)
        self._do(at, station.registrar.group_changed(self.now, group))

    def _do(self, sender: str, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, ToAll):
                self._queue.extend((sender, other, effect.message) for other in self.stations if other != sender)
            else:
                self.sent[type(effect.message).__name__] += 1
                if isinstance(effect.message, RulesFound):
                    self.found.append(effect.message)
                self._post(sender, self.stations[sender].delivery.send(self.now, effect.to, effect.message))

    def _post(self, sender: str, items: list[tuple[str, Item]]) -> None:
        self._queue.extend((sender, to, item) for to, item in items)

    def _deliver(self) -> None:
        while self._queue:
            sender, to, item = self._queue.popleft()
            if (sender in self.apart) != (to in self.apart) or self.rng.random() < self.loss:
                continue
            self._receive(sender, to, item)
            if self.rng.random() < self.loss:
                self._receive(sender, to, item)

    def _receive(self, sender: str, to: str, item: Item | Message) -> None:
        station = self.stations[to]
        if not isinstance(item, Item):
            self._do(to, station.registrar.receive(self.now, sender, item))
            return
        messages, back = station.delivery.receive(sender, item)
        self._post(to, back)
        for message in messages:
            self._do(to, station.registrar.receive(self.now, sender, message))
