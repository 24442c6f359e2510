"""Retention passes a peer by while it is off-line: it is told what was lost, once, and goes on behind it."""

from tests.network.sessions.world import World

from triplewire.network.sessions.access_point.records import AccessPointSettings
from triplewire.network.sessions.peer.saved_state import SubscriptionQuery

NEWS = SubscriptionQuery("topic", "news")


def away(count: int) -> tuple:
    """A peer with a subscription that goes off-line after one notification, and so many that come meanwhile."""
    world = World(settings=AccessPointSettings(window=4))
    station = world.station("AP")
    alice = world.walker("A", station)
    alice.start()
    world.run()
    alice.request_id("subscribe", "news", NEWS)
    world.run()
    station.publish("urn:e:0", "news")
    world.run()
    alice.stop()
    world.run()
    for number in range(1, count + 1):
        station.publish(f"urn:e:{number}", "news")
    return world, station, alice


def back(world, alice) -> None:
    alice.start()
    world.run()


def test_what_was_lost_is_told_from_where_to_where_and_the_rest_comes():
    world, station, alice = away(6)
    station.trim(4)
    back(world, alice)
    assert alice.gaps == [("news", station.place.id, 1, 4)]
    assert [event for _, event in alice.saved] == [f"urn:e:{number}" for number in (0, 4, 5, 6)]


def test_it_is_told_once_also_where_nothing_follows():
    world, station, alice = away(3)
    station.trim(4)
    back(world, alice)
    assert alice.gaps == [("news", station.place.id, 1, 4)]
    assert station.store.subscriptions[alice.id, "news"].cursor == 4
    alice.stop()
    world.run()
    back(world, alice)
    assert len(alice.gaps) == 1
    station.publish("urn:e:9", "news")
    world.run()
    assert alice.saved[-1] == ("news", "urn:e:9")


def test_it_is_told_again_where_it_was_not_noted():
    """The peer's machine fails between being told and having it on disk."""
    world, station, alice = away(3)
    station.trim(4)
    alice.start()
    machine = alice.machine
    machine.loss_saved = lambda now, line, message: []
    world.run()
    assert station.store.subscriptions[alice.id, "news"].cursor == 1
    alice.crash()
    world.run()
    back(world, alice)
    assert alice.gaps == [("news", station.place.id, 1, 4)] * 2
    assert station.store.subscriptions[alice.id, "news"].cursor == 4


def test_nobody_is_told_of_what_it_has_got_already():
    world, station, alice = away(0)
    station.trim(1)
    back(world, alice)
    assert alice.gaps == []


def test_a_previous_access_point_tells_of_it_while_it_is_drained():
    world, station, alice = away(3)
    other = world.station("AP2")
    station.trim(3)
    alice.home = alice.home.moving_to(other.place)
    alice.start()
    world.wait(30)
    assert ("news", station.place.id, 1, 3) in alice.gaps
    assert ("news", "urn:e:3") in alice.saved
    assert alice.home.previous == ()
    assert station.machine.peers == []
