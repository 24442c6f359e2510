"""Figure 3: an off-line notification, a rendezvous, and a migration, step by step; and what may go wrong on the way."""

import pytest
from tests.network.sessions.world import World

from triplewire.network.sessions import peer_messages
from triplewire.network.sessions.access_point.records import AccessPointSettings
from triplewire.network.sessions.peer.saved_state import ResourceRequest, SubscriptionQuery

NEWS = SubscriptionQuery("topic", "news")
HANDSHAKE = ["Hello", "Challenge", "Proof", "Welcome"]


@pytest.fixture
def world():
    world = World(settings=AccessPointSettings(window=2))
    for name in ("AP", "AP2", "AP3"):
        world.station(name)
    return world


def spoken(world, *but):
    """What was said since the last time, without handshakes."""
    return [one for one in world.take_said() if one[2] not in (*HANDSHAKE, *but)]


def test_figure_3(world):
    ap, ap2, ap3 = (world.stations[name] for name in ("AP", "AP2", "AP3"))
    alice, bob = world.walker("A", ap), world.walker("B", ap2)
    bob.resources["r"] = b"the resource"
    alice.start()
    bob.start()
    world.run()
    alice.request_id("subscribe", "news", NEWS)
    alice.request_id("register", "what A publishes")
    world.run()

    # A disconnects. AP keeps its identity and subscriptions; its indices do not reflect that A has left.
    alice.stop()
    world.run()
    assert ap.machine.online == []
    assert set(ap.store.subscriptions) == {(alice.id, "news")}
    assert ap.store.advertised == {alice.id: "what A publishes"}

    # A notification for A arrives at AP, which stores it and delivers it after A reconnects.
    bob.request_id("publish", b"urn:n:1 news")
    world.run()
    world.hear_all()
    world.run()
    world.take_said()
    alice.start()
    world.run()
    assert alice.saved == [("news", "urn:n:1")]
    assert ("AP", "A", "Notification") in spoken(world)

    # A requests the resource that the notification leads to. Its owner B has gone: the notification has B's public
    # identifier, and B's access point AP2; A asks AP2 for B's address, and then for a rendezvous.
    bob.stop()
    world.run()
    world.take_said()
    where = alice.request_id("locate", bob.id, ap2.id)
    world.run()
    assert not alice.answer(where).is_online
    assert spoken(world) == [
        ("A", "AP", "Locate"),
        ("AP", "AP2", "LocatePeer"),
        ("AP2", "AP", "PeerLocation"),
        ("AP", "A", "Located"),
    ]
    request = alice.request_id("request", ResourceRequest(bob.id, ap2.id, "r"))
    world.run()
    assert ("AP", "AP2", "RendezvousAsked") in spoken(world)

    # A disconnects. B reconnects, is told to upload r to AP, and does; AP stores it in its rendezvous directory.
    alice.stop()
    world.run()
    world.take_said()
    bob.start()
    world.run()
    assert spoken(world) == [
        ("AP2", "B", "UploadRequested"),
        ("B", "AP2", "Upload"),
        ("AP2", "AP", "ResourceUploaded"),
        ("AP", "AP2", "UploadAnswered"),
        ("AP2", "B", "Done"),
    ]
    assert list(ap.store.files) == [(alice.id, request)]
    bob.request_id("publish", b"urn:n:2 news")
    world.run()
    world.hear_all()
    world.run()

    # A connects to another access point, AP3.
    world.take_said()
    alice.home = alice.home.moving_to(ap3.place)
    alice.start()
    world.run()
    said = world.take_said()
    with_ap = [what for one, other, what in said if {one, other} == {"A", "AP"}]
    with_ap3 = [what for one, other, what in said if {one, other} == {"A", "AP3"}]
    # With AP: it asks for what is pending and says that it is elsewhere; gets it; and only then is forgotten.
    assert with_ap[:4] == with_ap3[:4] == HANDSHAKE
    assert sorted(with_ap[4:-3]) == sorted(
        ["Migrate", "Notification", "NotificationAck", "Ready", "Collect", "Resource", "Done", "Collected"]
    )
    assert with_ap[-3:] == ["Drained", "Moved", "Done"]
    # With AP3: its subscriptions at the beginning, so that nothing falls between, and at the end, from the tide on.
    last = len(said) - 1 - said[::-1].index(("A", "AP3", "Subscribe"))
    assert with_ap3.count("Subscribe") == 2
    assert said.index(("A", "AP3", "Subscribe")) < said.index(("A", "AP", "Moved")) < last

    # A has everything, AP has forgotten A, AP3 knows it.
    assert alice.saved == [("news", "urn:n:1"), ("news", "urn:n:2")]
    assert alice.got[request].content == b"the resource"
    assert (alice.home.at, alice.home.previous, alice.home.since) == (ap3.place, (), None)
    assert (ap.store.peers, ap.store.subscriptions, ap.store.advertised, ap.store.files) == ({}, {}, {}, {})
    assert ap.store.pointers[alice.id].to == ap3.id
    assert set(ap3.store.subscriptions) == {(alice.id, "news")}
    assert ap3.store.advertised == {alice.id: "what A publishes"}

    # And notifications come there from now on.
    bob.request_id("publish", b"urn:n:3 news")
    world.run()
    world.hear_all()
    world.run()
    assert alice.saved[-1] == ("news", "urn:n:3")


def test_everything_pending_comes_before_the_peer_is_forgotten(world):
    """Ten windows' worth: the access point lets go when the last of it is acknowledged."""
    ap, _, ap3 = world.stations.values()
    alice = world.walker("A", ap)
    alice.start()
    world.run()
    alice.request_id("subscribe", "news", NEWS)
    world.run()
    alice.stop()
    world.run()
    for number in range(10 * world.settings.window):
        ap.publish(f"urn:n:{number}", "news")
    alice.home = alice.home.moving_to(ap3.place)
    world.take_said()
    alice.start()
    world.run()
    assert alice.saved == [("news", f"urn:n:{number}") for number in range(10 * world.settings.window)]
    said = world.take_said()
    last = len(said) - 1 - said[::-1].index(("A", "AP", "NotificationAck"))
    assert last < said.index(("AP", "A", "Drained"))


def test_a_page_that_was_read_before_the_tide_is_not_the_last(world):
    """What came between that page and the tide is pending, and AP3 is not asked for it."""
    ap, _, ap3 = world.stations.values()
    alice = world.walker("A", ap)
    alice.start()
    world.run()
    alice.request_id("subscribe", "news", NEWS)
    world.run()
    [(connection, (_, line, _))] = world.connections.items()
    sealer = alice.machine._connections.connection_named(line)._channel.sealer
    ap.publish("urn:n:1", "news")
    world.step()
    assert [entry[0] for entry in world.queue] == ["done"]
    ap.publish("urn:n:2", "news")
    migrate = sealer.seal(peer_messages.encode(peer_messages.Migrate(ap3.id, 99)))
    ap.do(ap.machine.receive(world.now, connection, migrate))
    world.run()
    assert alice.saved == [("news", "urn:n:1"), ("news", "urn:n:2")]


def test_whoever_has_not_got_everything_is_not_forgotten(world):
    ap, *_ = world.stations.values()
    alice = world.walker("A", ap)
    alice.start()
    world.run()
    [(connection, (_, line, _))] = world.connections.items()
    sealer = alice.machine._connections.connection_named(line)._channel.sealer
    for message in (peer_messages.Moved(98), peer_messages.Migrate(ap.id, 99)):
        ap.do(ap.machine.receive(world.now, connection, sealer.seal(peer_messages.encode(message))))
    world.run()
    assert world.take_said().count(("AP", "A", "RequestRefused")) == 2
    assert ap.machine.online == [alice.id]


def moved_during(world, happen):
    """A moves from AP to AP3 with much pending, and `happen` after each step; what A has in the end."""
    ap, ap2, ap3 = (world.stations[name] for name in ("AP", "AP2", "AP3"))
    alice = world.walker("A", ap)
    alice.start()
    world.run()
    alice.request_id("subscribe", "news", NEWS)
    world.run()
    for number in range(5):
        ap2.publish(f"urn:n:{number}", "news")
        ap.hear(ap2.id)
    world.run()
    alice.do(alice.machine.move(world.now, ap3.place))
    step = 0
    while world.step() or step < 300:
        happen(step, alice)
        step += 1
        assert step < 10_000
    if alice.machine is None:
        alice.start()
    world.hear_all()
    world.wait(90)
    world.hear_all()
    world.wait(5)
    assert ap.machine.peers == []
    assert ap3.machine.online == [alice.id]
    assert alice.seen == {("news", event) for log in world.logs.values() for event, _ in log}


def test_publishing_goes_on_everywhere_while_a_peer_moves(world):
    stations = list(world.stations.values())

    def publish(step, alice):
        if step < 60:
            stations[step % 3].publish(f"urn:p:{step}", "news")
        if step % 2:
            stations[step % 3].hear(stations[step % 5 % 3].id)

    moved_during(world, publish)


@pytest.mark.parametrize("moment", range(0, 60, 2))
def test_the_old_access_point_crashes_at_any_moment(world, moment):
    def crash(step, alice):
        if step == moment:
            world.stations["AP"].boot()
        if step < 60:
            world.stations["AP2"].publish(f"urn:p:{step}", "news")

    moved_during(world, crash)


@pytest.mark.parametrize("moment", range(0, 60, 2))
def test_the_new_access_point_crashes_at_any_moment(world, moment):
    def crash(step, alice):
        if step == moment:
            world.stations["AP3"].boot()
        if step < 60:
            world.stations["AP2"].publish(f"urn:p:{step}", "news")

    moved_during(world, crash)


@pytest.mark.parametrize("moment", range(0, 60, 2))
def test_the_peer_crashes_at_any_moment(world, moment):
    def crash(step, alice):
        if step == moment:
            alice.crash()
            alice.start()
        if step < 60:
            world.stations["AP2"].publish(f"urn:p:{step}", "news")

    moved_during(world, crash)


def test_the_old_access_point_is_down_and_comes_back(world):
    """The peer works at the new one meanwhile, and fetches what is pending later."""
    ap, ap2, ap3 = (world.stations[name] for name in ("AP", "AP2", "AP3"))
    alice = world.walker("A", ap)
    alice.start()
    world.run()
    alice.request_id("subscribe", "news", NEWS)
    world.run()
    alice.stop()
    ap2.publish("urn:n:1", "news")
    ap.hear(ap2.id)
    world.cut_off.add("AP")
    alice.home = alice.home.moving_to(ap3.place)
    alice.start()
    world.wait(60)
    ap2.publish("urn:n:2", "news")
    world.hear_all()
    world.run()
    assert ("news", "urn:n:2") in alice.seen
    world.cut_off.clear()
    world.wait(60)
    assert alice.seen == {("news", "urn:n:1"), ("news", "urn:n:2")}
    assert alice.home.previous == ()
    assert ap.machine.peers == []


def test_moving_on_before_the_first_move_is_over(world):
    ap, ap2, ap3 = (world.stations[name] for name in ("AP", "AP2", "AP3"))
    alice = world.walker("A", ap)
    alice.start()
    world.run()
    alice.request_id("subscribe", "news", NEWS)
    world.run()
    ap2.publish("urn:n:1", "news")
    ap.hear(ap2.id)
    for place in (ap3, ap2, ap, ap3):
        alice.do(alice.machine.move(world.now, place.place))
        for _ in range(6):
            world.step()
        ap2.publish(f"urn:n:{place.name}", "news")
    world.wait(60)
    world.hear_all()
    world.wait(60)
    assert alice.seen == {("news", event) for event, _ in world.logs[ap2.id]}
    assert [station.machine.peers for station in (ap, ap2, ap3)] == [[], [], [alice.id]]


def test_moving_home_again(world):
    ap, _, ap3 = world.stations.values()
    alice = world.walker("A", ap)
    alice.start()
    world.run()
    alice.request_id("subscribe", "news", NEWS)
    world.run()
    for place in (ap3, ap):
        alice.do(alice.machine.move(world.now, place.place))
        world.run()
    assert ap.store.pointers == {}
    assert ap3.store.pointers[alice.id].to == ap.id
    ap3.publish("urn:n:1", "news")
    world.hear_all()
    world.run()
    assert alice.saved == [("news", "urn:n:1")]


def test_a_pointer_expires(world):
    ap, _, ap3 = world.stations.values()
    alice = world.walker("A", ap)
    alice.start()
    world.run()
    alice.do(alice.machine.move(world.now, ap3.place))
    world.run()
    alice.stop()
    assert alice.id in ap.store.pointers
    world.wait(world.settings.keep + 1, tick=world.settings.keep / 4)
    assert ap.store.pointers == {}
