"""Peers come and go: off-line notifications, silence, expiry, restarts."""

from itertools import pairwise

from tests.network.sessions.world import World

from triplewire.network.sessions import peer_messages
from triplewire.network.sessions.access_point.records import AccessPointSettings
from triplewire.network.sessions.peer.saved_state import SubscriptionQuery

NEWS = SubscriptionQuery("topic", "news")
TERMS = AccessPointSettings(keep=3600.0, silence=30.0, registration_lasts=600.0, window=4)


def here(settings=TERMS):
    world = World(settings=settings)
    station = world.station("AP")
    alice = world.walker("A", station)
    alice.start()
    world.run()
    return world, station, alice


def subscribed():
    world, station, alice = here()
    alice.request_id("subscribe", "news", NEWS)
    world.run()
    return world, station, alice


def test_a_peer_is_let_in_by_four_messages():
    world, station, alice = here()
    assert world.take_said() == [
        ("A", "AP", "Hello"),
        ("AP", "A", "Challenge"),
        ("A", "AP", "Proof"),
        ("AP", "A", "Welcome"),
    ]
    assert station.machine.online == [alice.id]
    assert alice.machine.is_online


def test_publishing_is_accepted_with_a_position_and_notified():
    world, station, alice = subscribed()
    token = alice.request_id("publish", b"urn:e:1 news")
    world.run()
    assert alice.answer(token).receipts == (peer_messages.Receipt("urn:e:1", 1),)
    assert alice.saved == [("news", "urn:e:1")]
    assert station.store.subscriptions[alice.id, "news"].outbox == []


def test_publishing_again_under_one_key_publishes_once():
    world, station, alice = here()
    for _ in range(2):
        alice.do(alice.machine.publish(world.now, "same", b"urn:e:1 news"))
    world.run()
    assert len(world.logs[station.id]) == 1
    assert len(alice.answers["same"]) == 2


def test_off_line_notifications_are_kept_and_delivered_on_return():
    world, station, alice = subscribed()
    alice.stop()
    world.run()
    assert station.machine.online == []
    for number in range(10):
        station.publish(f"urn:e:{number}", "news")
    world.run()
    assert alice.saved == []
    alice.start()
    world.run()
    assert alice.saved == [("news", f"urn:e:{number}") for number in range(10)]


def test_no_more_than_a_window_is_on_its_way():
    world, station, alice = subscribed()
    alice.machine.notification_saved = lambda *_: []
    for number in range(10):
        station.publish(f"urn:e:{number}", "news")
    world.run()
    assert len(alice.saved) == TERMS.window


def test_what_was_not_acknowledged_comes_again_and_what_was_does_not():
    world, station, alice = subscribed()
    station.publish("urn:e:1", "news")
    world.run()
    saved = alice.machine.notification_saved
    alice.machine.notification_saved = lambda *_: []
    station.publish("urn:e:2", "news")
    world.run()
    assert alice.machine.notification_saved is not saved
    alice.crash()
    alice.start()
    world.run()
    assert alice.saved == [("news", "urn:e:1"), ("news", "urn:e:2"), ("news", "urn:e:2")]


def test_an_acknowledgement_of_an_earlier_flow_does_not_count():
    """A subscription that begins anew further back has lower positions than those that are being acknowledged."""
    world, station, alice = subscribed()
    station.publish("urn:e:1", "news")
    world.run()
    [(connection, (_, line, _))] = world.connections.items()
    sealer = alice.machine._connections.connection_named(line)._channel.sealer

    def say(message):
        station.do(station.machine.receive(world.now, connection, sealer.seal(peer_messages.encode(message))))
        world.run()

    alice.machine.notification_saved = lambda *_: []
    say(peer_messages.Subscribe("news", "topic", "news", {station.id: 0}, 99))
    outbox = station.store.subscriptions[alice.id, "news"].outbox
    assert [one.event for one in outbox] == ["urn:e:1"]
    say(peer_messages.NotificationAck("news", 1, 1))
    assert station.store.subscriptions[alice.id, "news"].outbox == outbox
    say(peer_messages.NotificationAck("news", 2, 1))
    assert station.store.subscriptions[alice.id, "news"].outbox == []


def test_a_peer_that_is_expelled_is_forgotten_at_once():
    world, station, alice = subscribed()
    station.do(station.machine.expel(world.now, alice.id))
    assert (station.machine.peers, station.machine.online) == ([], [])
    assert (station.store.peers, station.store.subscriptions) == ({}, {})


def test_a_guard_keeps_peers_out():
    world, station, alice = here()
    alice.stop()
    station.machine._presence._guard = lambda connection, key: "one that may not"
    alice.start()
    world.run()
    assert station.machine.online == []
    assert station.machine.refusals["key"] == 1


def test_silence_is_going_off_line():
    world, station, alice = subscribed()
    alice.machine = None
    world.wait(TERMS.silence + 1)
    assert station.machine.online == []
    assert station.machine.peers == [alice.id]
    assert station.store.peers[alice.id].gone is not None


def test_a_peer_with_nothing_to_say_stays():
    world, station, alice = subscribed()
    world.wait(10 * TERMS.silence)
    assert station.machine.online == [alice.id]
    world.take_said()
    world.wait(20)
    assert ("A", "AP", "KeepAlive") in world.take_said()


def test_the_indices_do_not_change_while_a_peer_is_off_line():
    world, station, alice = subscribed()
    alice.request_id("register", "rdf")
    world.run()
    alice.stop()
    world.wait(TERMS.keep - 60, tick=30)
    assert station.store.advertised == {alice.id: "rdf"}
    assert (alice.id, "news") in station.store.subscriptions


def test_after_the_set_time_a_peer_is_forgotten_with_all_that_is_its_own():
    world, station, alice = subscribed()
    alice.request_id("register", "rdf")
    world.run()
    alice.stop()
    world.wait(TERMS.keep + 60, tick=30)
    store = station.store
    assert (store.peers, store.subscriptions, store.advertised) == ({}, {}, {})
    assert station.machine.peers == []


def test_a_peer_that_was_forgotten_brings_its_subscriptions_again():
    world, station, alice = subscribed()
    alice.stop()
    world.wait(TERMS.keep + 60, tick=30)
    alice.start()
    world.run()
    station.publish("urn:e:1", "news")
    world.run()
    assert alice.saved == [("news", "urn:e:1")]


def test_coming_back_in_time_begins_the_set_time_anew():
    world, station, alice = subscribed()
    for _ in range(3):
        alice.stop()
        world.wait(TERMS.keep - 60, tick=30)
        alice.start()
        world.run()
    assert station.machine.peers == [alice.id]


def test_an_advertisement_that_is_not_repeated_expires():
    world, station, alice = here()
    alice.request_id("register", "rdf")
    world.run()
    alice.machine._state.renew = lambda now: None
    world.wait(TERMS.registration_lasts + 5)
    assert station.store.advertised == {}
    assert station.store.peers[alice.id].registration is None
    assert station.machine.online == [alice.id]


def test_an_advertisement_is_repeated_in_time():
    world, station, alice = here()
    alice.request_id("register", "rdf")
    world.run()
    world.take_said()
    world.wait(2 * TERMS.registration_lasts)
    assert station.store.advertised == {alice.id: "rdf"}
    assert ("A", "AP", "Register") in world.take_said()


def test_an_advertisement_is_replaced_and_withdrawn():
    world, station, alice = here()
    for rdf in ("one", "two"):
        alice.request_id("register", rdf)
        world.run()
        assert station.store.advertised == {alice.id: rdf}
    alice.request_id("register", None)
    world.run()
    assert station.store.advertised == {}


def test_what_the_store_refuses_is_told_with_what_was_wanted_and_found():
    world, station, alice = here()
    token = alice.request_id("register", "not RDF")
    other = alice.request_id("subscribe", "bad", SubscriptionQuery("topic", "refuse me"))
    world.run()
    assert alice.answer(token).wanted == "a registration in RDF"
    assert (alice.answer(other).wanted, alice.answer(other).found) == ("a query", "refuse me")
    assert station.store.peers[alice.id].registration is None
    assert (alice.home.subscriptions, alice.home.registration) == ({}, None)


def test_a_subscription_ends():
    world, station, alice = subscribed()
    alice.request_id("unsubscribe", "news")
    world.run()
    station.publish("urn:e:1", "news")
    world.run()
    assert alice.saved == []
    assert station.store.subscriptions == {}


def test_the_newest_connection_counts():
    world, station, alice = subscribed()
    first = next(iter(world.connections))
    alice.machine = None
    alice.start()
    world.run()
    assert station.machine.online == [alice.id]
    station.do(station.machine.disconnected(world.now, first))
    assert station.machine.online == [alice.id]
    station.publish("urn:e:1", "news")
    world.run()
    assert alice.saved == [("news", "urn:e:1")]


def test_a_restart_forgets_nothing_and_nobody_is_there():
    world, station, alice = subscribed()
    alice.request_id("register", "rdf")
    world.run()
    station.store.advertised.clear()
    station.boot()
    world.run()
    assert station.machine.peers == [alice.id]
    assert station.machine.online == []
    assert station.store.advertised == {alice.id: "rdf"}
    station.publish("urn:e:1", "news")
    world.wait(60)
    assert alice.saved == [("news", "urn:e:1")]


def test_the_set_time_goes_on_over_a_restart():
    world, station, alice = subscribed()
    alice.stop()
    world.wait(TERMS.keep - 100, tick=30)
    station.boot()
    world.wait(200, tick=30)
    assert station.machine.peers == []


def test_too_many_peers_are_refused():
    world, station, alice = here(AccessPointSettings(peers=1))
    other = world.walker("B", station)
    other.start()
    world.run()
    assert station.machine.peers == [alice.id]
    assert station.machine.refusals["full"] == 1


def test_open_handshakes_are_bounded():
    world, station, _ = here(AccessPointSettings(handshakes=10))
    for number in range(50):
        walker = world.walker(f"W{number}", station)
        walker.start()
        world.queue.clear()
    assert len(station.machine._presence._handshakes) <= 10


def test_a_lost_message_is_noticed_and_comes_again():
    world, station, alice = subscribed()
    for number in range(3):
        station.publish(f"urn:e:{number}", "news")
    while world.queue and not any(entry[0] == "down" for entry in world.queue):
        world.step()
    lost = next(entry for entry in world.queue if entry[0] == "down")
    world.queue.remove(lost)
    world.wait(60)
    assert alice.seen == {("news", f"urn:e:{number}") for number in range(3)}
    assert station.store.subscriptions[alice.id, "news"].outbox == []


def test_notifications_come_in_order():
    world, station, alice = subscribed()
    for number in range(40):
        station.publish(f"urn:e:{number}", "news")
        if number % 7 == 0:
            world.run()
    world.run()
    numbers = [int(event.rpartition(":")[2]) for _, event in alice.saved]
    assert len(numbers) == 40
    assert all(one < other for one, other in pairwise(numbers))
