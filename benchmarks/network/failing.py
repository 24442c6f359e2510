"""How long a network takes to recover when a tenth of its super-peers fail at once.

Everybody subscribes to one more topic, the probe. The moment the tenth is gone, some who are left publish an event of
it, which everybody who is left has to get. Time is virtual, with the timings of a real network.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from itertools import islice
from random import Random

from msgspec import Struct

from benchmarks.network import workload
from triplewire.network.timings import Timings
from triplewire.testing.simulation.superpeers import Fact, Offer, Query, Span, World
from triplewire.testing.simulation.superpeers.histories.history import Accepted
from triplewire.testing.simulation.superpeers.host import Host

_SHARE = 0.1
_PROBES = 10
_EACH = 3
_LONGEST = 120.0
_STEP = 0.25
_PROBE = Span("topic", workload.TOPICS, workload.TOPICS)
_SETTLING = 6.0
_BEATS = frozenset({"Heartbeat", "Acknowledgement", "WatermarkUpdate"})


class Recovery(Struct):
    """Virtual seconds from the failure until everybody knows of it, has attached anew, and has every probe.

    Messages are those of the time until all three hold, for each super-peer that is left; `repairing` leaves out
    beats, acknowledgements and tides, which a network at rest has too.
    """

    super_peers: int
    failed: int
    noticed: float
    attached: float
    reached: float
    messages: float
    repairing: float
    kinds: dict[str, int]
    seconds: float


def recovered(super_peers: int) -> Recovery:
    """Let a tenth fail, and watch."""
    start = time.perf_counter()
    world = _prepared(super_peers)
    failing = world.rng.sample(list(world.hosts), max(1, round(super_peers * _SHARE)))
    before, since = Counter(world.trace.counts), world.now
    for host in failing:
        world.crash(host)
    left = {host.id: host for host in world.hosts.values() if host.super_peer is not None}
    probes = {world.publish(host, f"{host}/writer", _probe()) for host in world.rng.sample(list(left), _PROBES)}
    watch = _Watch(world, left, probes)
    world.run_while(lambda: not watch.is_over(), at_most=_LONGEST, step=_STEP)
    assert watch.is_over(), f"wanted recovery within {_LONGEST:.0f} s, found {watch.moments}"
    sent = Counter(world.trace.counts) - before
    return Recovery(
        super_peers=super_peers,
        failed=len(failing),
        noticed=watch.moments["noticed"] - since,
        attached=watch.moments["attached"] - since,
        reached=watch.moments["reached"] - since,
        messages=sent.total() / len(left),
        repairing=sum(count for kind, count in sent.items() if kind not in _BEATS) / len(left),
        kinds=dict(sent.most_common()),
        seconds=time.perf_counter() - start,
    )


class _Watch:
    """Notes when each thing held first."""

    def __init__(self, world: World, left: dict[str, Host], probes: set[str]) -> None:
        self._world = world
        self._left = left
        self._probes = probes
        self._read = len(world.history.records)
        self._missing = {(host, probe) for host in left for probe in probes}
        self.moments: dict[str, float] = {}

    def is_over(self) -> bool:
        """Look, and say whether all of it has happened."""
        self._note("noticed", self._is_noticed)
        self._note("attached", self._is_attached)
        self._note("reached", self._is_reached)
        return len(self.moments) == 3

    def _note(self, name: str, holds: Callable[[], bool]) -> None:
        if name not in self.moments and holds():
            self.moments[name] = self._world.now

    def _is_noticed(self) -> bool:
        return all(
            host.super_peer is not None and set(host.super_peer.members.places) == self._left.keys()
            for host in self._hosts
        )

    def _is_attached(self) -> bool:
        return "noticed" in self.moments and all(_stands_attached(host) for host in self._hosts)

    def _is_reached(self) -> bool:
        records = self._world.history.records
        for record in records[self._read :]:
            if isinstance(record, Accepted):
                self._missing.discard((record.node, record.event))
        self._read = len(records)
        own = {(one.origin, one.event) for host in self._hosts for one in host.disk.published}
        self._missing -= own
        return not self._missing

    @property
    def _hosts(self) -> list[Host]:
        return list(self._left.values())


def _stands_attached(host: Host) -> bool:
    assert host.super_peer is not None
    links = host.super_peer.router.attachments
    chosen = links.chosen()
    return links.upstream.keys() == chosen.keys() and all(
        up.is_open and up.other == chosen[dimension] for dimension, up in links.upstream.items()
    )


def _prepared(super_peers: int) -> World:
    world = World(super_peers, timings=Timings(), save_every=None)
    world.trace.keeps = False
    world.prepare(super_peers)
    rng = Random(super_peers)
    world.run_for(_SETTLING)
    workload.advertise_topics(world, workload.publishers(list(world.hosts), rng))
    asked = workload.queries(rng)
    for host in list(world.hosts):
        world.advertise(host, f"{host}/writer", Offer((_PROBE,)))
        for query in (Query((_PROBE,)), *islice(asked, _EACH)):
            world.subscribe(host, f"{host}/reader", query)
    world.run_for(2 * _SETTLING)
    return world


def _probe() -> Fact:
    return Fact(((_PROBE.property, _PROBE.low),))
