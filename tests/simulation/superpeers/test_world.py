"""The simulator itself: what is saved survives, what is cut is silent, what was given up is found again."""

from __future__ import annotations

import pytest
from tests.simulation.superpeers.scenes import SETTLE, SIZES, SMALL, assert_right, publish_for, settled, size, told

from triplewire.testing.simulation.faults import LinkModel
from triplewire.testing.simulation.superpeers import RELIABLE, FaultModel, Query, Span, Traffic, World
from triplewire.testing.simulation.superpeers.histories.history import Published


def test_what_was_acknowledged_is_on_the_disk_and_what_was_not_is_lost_with_a_crash():
    world = settled(2)
    world.publish("sp0", "sp0/writer", size(1))
    world.crash("sp0")
    assert not any(isinstance(record, Published) for record in world.history.records)
    world.restart("sp0")
    event = world.publish("sp0", "sp0/writer", size(1))
    world.run_for(0.1)
    world.crash("sp0")
    world.restart("sp0")
    world.run_for(2 * SETTLE)
    assert told(world) == {"sp0": {event}, "sp1": {event}}


def test_positions_count_what_was_accepted_too():
    world = settled(2)
    for host in ("sp0", "sp1", "sp0"):
        world.publish(host, f"{host}/writer", size(1))
        world.run_for(1.0)
    published = [record for record in world.history.records if isinstance(record, Published)]
    assert [(record.node, record.position) for record in published] == [("sp0", 1), ("sp1", 2), ("sp0", 3)]


def test_a_cut_is_one_way_and_counts_as_often_as_it_was_made():
    world = World(1)
    links = world.links
    links.cut([("a", "b")])
    links.cut([("a", "b")])
    links.heal([("a", "b")])
    assert links.is_cut("a", "b")
    assert not links.is_cut("b", "a")
    links.heal([("a", "b")])
    assert not links.is_cut("a", "b")


def test_weather_loses_repeats_and_reorders_as_often_as_it_says():
    links = LinkModel(World(1).rng, FaultModel(loss=0.2, repeats=0.3, slowest=1.0))
    arrivals = [links.arrivals(0.0, "a", "b") for _ in range(4_000)]
    assert 0.17 < sum(not found for found in arrivals) / 4_000 < 0.23
    assert 0.21 < sum(len(found) == 2 for found in arrivals) / 4_000 < 0.27
    once = [found[0] for found in arrivals if found]
    assert once != sorted(once)


def test_in_order_nothing_overtakes():
    links = LinkModel(World(1).rng, RELIABLE)
    moments = [links.arrivals(number / 1_000, "a", "b")[0] for number in range(1_000)]
    assert moments == sorted(moments)


def test_one_that_comes_back_at_another_address_is_found():
    world = settled(5)
    host = world.hosts["sp2"]
    world.crash("sp2")
    publish_for(world, 3.0)
    world.disconnect(host)
    host.address = "sim://elsewhere"
    world.connect(host)
    world.restart("sp2")
    publish_for(world, 5.0)
    world.run_for(2 * SETTLE)
    assert_right(world, owed=50)


def test_an_advertisement_that_is_not_renewed_runs_out_everywhere():
    world = World(3)
    world.found(5)
    world.advertise("sp1", "sp1/writer", SIZES, lasts=10.0)
    world.run_for(5.0)
    assert all(rows_at(world, host) > 0 for host in world.hosts if host != "sp1")
    world.run_for(30.0)
    assert all(rows_at(world, host) == 0 for host in world.hosts)


def rows_at(world: World, host: str) -> int:
    up = world.hosts[host].super_peer
    assert up is not None
    return len(up.router.advertisements.dimensions)


def test_a_word_to_another_access_point_arrives_once():
    world = settled(6, fault_model=FaultModel(loss=0.2, repeats=0.5))
    world.hosts["sp1"].relay("sp4", b"hello")
    world.run_for(10.0)
    assert [(word.sender, word.body) for word in world.hosts["sp4"].relayed] == [("sp1", b"hello")]


def test_a_subscription_that_another_implies_is_not_sent_until_that_one_ends():
    world = World(1)
    world.found(2)
    world.advertise("sp1", "sp1/writer", SIZES)
    world.run_for(SETTLE)
    traffic = Traffic()
    world.trace.watch = traffic.see
    wide = world.subscribe("sp0", "sp0/reader", SMALL)
    narrow = Query((Span("size", 1, 2),))
    world.subscribe("sp0", "sp0/reader", narrow)
    world.run_for(2.0)
    key = world.encoding.standing_query(narrow).key
    assert traffic.subscriptions[key] == []
    world.unsubscribe("sp0", wide)
    world.run_for(2.0)
    assert traffic.subscriptions[key] == [("sp0", "sp1")]


@pytest.mark.parametrize(("super_peers", "each"), [(100, 10), pytest.param(1_000, 100, marks=pytest.mark.slow)])
def test_many_super_peers_with_many_subscriptions_fit_into_memory(super_peers: int, each: int):
    world = World(1, save_every=None)
    world.trace.keeps = False
    world.prepare(super_peers)
    world.run_for(3.0)
    hosts = list(world.hosts)
    for host in world.rng.sample(hosts, super_peers // 20):
        world.advertise(host, f"{host}/writer", SIZES)
    for number in range(super_peers * each):
        host = hosts[number % super_peers]
        low = world.rng.randint(0, 9)
        query = Query((Span("size", low, low),))
        world.later(world.rng.random() * 5, world.subscribe, host, f"{host}/reader{number}", query)
    world.run_for(10.0)
    writer = next(host.id for host in world.hosts.values() if host.disk.advertisements)
    event = world.publish(writer, f"{writer}/writer", size(4))
    world.run_for(3.0)
    wanting = {
        host.id
        for host in world.hosts.values()
        if any(
            one.standing_query == world.encoding.standing_query(Query((Span("size", 4, 4),)))
            for one in host.disk.subscriptions.values()
        )
    }
    assert len(wanting) > super_peers // 3
    assert {host for host, events in told(world).items() if event in events} == wanting
