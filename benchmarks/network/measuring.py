"""What subscriptions and events cost in a network of one size."""

from __future__ import annotations

import resource
import time
from collections import defaultdict
from collections.abc import Callable
from itertools import islice
from random import Random
from statistics import fmean

from msgspec import Struct

from benchmarks.network import workload
from triplewire.network.messages import LinkFrame, Packet, Subscribe
from triplewire.testing.simulation.superpeers import Traffic, World, depths
from triplewire.testing.simulation.superpeers.histories.history import Accepted, Published, Subscribed

OURS = "advertisements and poset"
POSET = "poset only"
FLOODING = "flooding"
_ATTACHING = 3.0
_SPREADING = 4.0

Tell = Callable[[str], object]


class Costs(Struct):
    """Means over subscriptions and events; sizes over super-peers. Messages of a subscription count hop by hop."""

    policy: str
    super_peers: int
    subscriptions: int
    lone_messages: float
    lone_hops: int
    messages: float
    event_messages: float
    event_hops: int
    reached: float
    needless: int
    index_rows: float
    most_index_rows: int
    poset: float
    most_poset: int
    seconds: float
    megabytes: float


def flooding(super_peers: int, subscriptions: int) -> Costs:
    """Everything goes to everybody, once: nobody can do with less who does not know where to send it."""
    others, hops = super_peers - 1, (super_peers - 1).bit_length()
    held = subscriptions * super_peers
    return Costs(
        FLOODING, super_peers, held, others, hops, others, others, hops, 0, 0, 0, 0, held, held, seconds=0, megabytes=0
    )


def measured(policy: str, super_peers: int, lone: int, each: int, events: int, tell: Tell) -> Costs:
    """Prepare a network, let it advertise, subscribe one by one and then in crowds, and publish."""
    start = time.perf_counter()
    rng = Random(f"{policy} {super_peers}")
    world = World(super_peers, save_every=None)
    world.trace.keeps = False
    world.prepare(super_peers)
    world.run_for(_ATTACHING)
    by_topic = workload.publishers(list(world.hosts), rng)
    if policy == OURS:
        workload.advertise_topics(world, by_topic)
    else:
        workload.advertise_anything(world)
    world.run_for(_SPREADING)
    lone_messages, lone_hops = _lone(world, lone, rng)
    messages = _crowd(world, each, rng, tell)
    published = _publish(world, by_topic, events, rng)
    posets = [len(host.super_peer.router.poset) for host in world.hosts.values() if host.super_peer is not None]
    rows = [
        len(host.super_peer.router.advertisements.dimensions)
        for host in world.hosts.values()
        if host.super_peer is not None
    ]
    return Costs(
        policy=policy,
        super_peers=super_peers,
        subscriptions=each * super_peers,
        lone_messages=lone_messages,
        lone_hops=lone_hops,
        messages=messages,
        event_messages=published.messages,
        event_hops=published.hops,
        reached=published.reached,
        needless=published.needless,
        index_rows=fmean(rows),
        most_index_rows=max(rows),
        poset=fmean(posets),
        most_poset=max(posets),
        seconds=time.perf_counter() - start,
        megabytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


def _lone(world: World, count: int, rng: Random) -> tuple[float, int]:
    """Subscriptions of which none helps another; they go again. Messages of one on average, and the most hops."""
    traffic = Traffic()
    world.trace.watch = traffic.see
    hosts = list(world.hosts)
    made: dict[str, tuple[str, str]] = {}
    for query in workload.lone_queries(count, rng):
        host = rng.choice(hosts)
        made[world.encoding.standing_query(query).key] = host, world.subscribe(host, f"{host}/reader", query)
    world.run_for(_SPREADING)
    edges = traffic.subscriptions
    hops = max((max(depths(edges[key], host).values()) for key, (host, _) in made.items()), default=0)
    world.trace.watch = None
    for host, name in made.values():
        world.unsubscribe(host, name)
    world.run_for(_SPREADING)
    return fmean(len(edges[key]) for key in made), hops


def _crowd(world: World, each: int, rng: Random, tell: Tell) -> float:
    """As many subscriptions at each super-peer, one after the other in any order: messages of one on average."""
    counted = 0

    def count(_sender: str, _receiver: str, what: Packet) -> None:
        nonlocal counted
        if isinstance(what, LinkFrame) and isinstance(what.message, Subscribe):
            counted += len(what.message.added)

    world.trace.watch = count
    hosts = list(world.hosts) * each
    rng.shuffle(hosts)
    chunk = max(1, len(hosts) // 20)
    asked = workload.queries(rng)
    for first in range(0, len(hosts), chunk):
        for host, query in zip(hosts[first : first + chunk], islice(asked, chunk), strict=False):
            world.later(rng.random(), world.subscribe, host, f"{host}/reader", query)
        world.run_for(1.0)
        tell(f"{min(first + chunk, len(hosts)):,} of {len(hosts):,} subscriptions")
    world.run_for(_SPREADING)
    world.trace.watch = None
    return counted / len(hosts)


class _Publishing(Struct):
    messages: float
    hops: int
    reached: float
    needless: int


def _publish(world: World, by_topic: list[list[str]], count: int, rng: Random) -> _Publishing:
    """Events of topics at those who can publish them. Whether one went where nobody wants it is checked."""
    traffic = Traffic()
    world.trace.watch = traffic.see
    since = len(world.history.records)
    for _ in range(count):
        topic = rng.randrange(workload.TOPICS)
        host = rng.choice(by_topic[topic])
        world.publish(host, f"{host}/writer", workload.fact_of(topic, rng))
        world.run_for(0.05)
    world.run_for(_SPREADING)
    world.trace.watch = None
    return _judged(world, since, traffic)


def _judged(world: World, since: int, traffic: Traffic) -> _Publishing:
    accepted: defaultdict[str, set[str]] = defaultdict(set)
    published: dict[str, Published] = {}
    for record in world.history.records[since:]:
        if isinstance(record, Accepted):
            accepted[record.event].add(record.node)
        elif isinstance(record, Published):
            published[record.event] = record
    _check_complete(world, published, accepted)
    hops = [max(depths(traffic.events[event], record.node).values()) for event, record in published.items()]
    return _Publishing(
        messages=fmean(len(traffic.events[event]) for event in published),
        hops=max(hops),
        reached=fmean(len(accepted[event]) for event in published),
        needless=sum(len(traffic.needless(event, accepted[event])) for event in published),
    )


def _check_complete(world: World, published: dict[str, Published], accepted: dict[str, set[str]]) -> None:
    """Fewer messages are no merit where somebody is left out."""
    asked: defaultdict[object, set[str]] = defaultdict(set)
    standing = {name for host in world.hosts.values() for name in host.disk.subscriptions}
    for record in world.history.records:
        if isinstance(record, Subscribed) and record.name in standing:
            asked[record.query].add(record.node)
    for event, record in published.items():
        wanting = {node for query, nodes in asked.items() if query.matches(record.fact) for node in nodes}  # type: ignore[attr-defined]
        missed = wanting - accepted[event] - {record.node}
        assert not missed, f"wanted {event} at {sorted(missed)[:3]}, found it nowhere there"
