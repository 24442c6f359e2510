"""Bytes from anybody: whatever comes, the answer is a refusal, and the others notice nothing."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.network.sessions.world import World

from triplewire.network.sessions import access_point_messages, peer_messages
from triplewire.network.sessions.access_point.effects import SendToPeer
from triplewire.network.sessions.envelopes import clear, clear_body
from triplewire.network.sessions.peer.saved_state import SubscriptionQuery

HEADS = st.sampled_from([b"", b"tw", b"tw\x01", b"tw\x01\x01", b"tw\x01\x02", b"tw\x02\x01", b"tw\x01\x03"])
DEEP = st.builds(
    lambda kind, times: kind * times, st.sampled_from([b"\x91", b"\x81", b"\xdc\xff\xff"]), st.just(50_000)
)
HOSTILE = st.builds(bytes.__add__, HEADS, st.one_of(st.binary(max_size=200), DEEP))


def a_world():
    world = World()
    station = world.station("AP")
    alice = world.walker("A", station)
    alice.start()
    world.run()
    return world, station, alice


@settings(deadline=None)
@given(st.lists(HOSTILE, max_size=10))
def test_hostile_bytes_over_a_new_connection_and_over_a_peers(messages):
    world, station, alice = a_world()
    for connection in ("stranger", next(iter(world.connections))):
        for data in messages:
            for effect in station.machine.receive(world.now, connection, data):
                assert isinstance(effect, SendToPeer)
                assert isinstance(
                    peer_messages.decode_handshake_message(clear_body(effect.data)),
                    peer_messages.Refusal | peer_messages.Challenge,
                )
    token = alice.request_id("publish", b"urn:e:1 news")
    world.run()
    assert alice.answer(token).receipts


@settings(deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=200), DEEP), max_size=10))
def test_hostile_bodies_inside_genuine_envelopes(bodies):
    """A peer that is who it says may still say anything."""
    world, station, alice = a_world()
    [(connection, (_, line, _))] = world.connections.items()
    sealer = alice.machine._connections.connection_named(line)._channel.sealer
    for body in bodies:
        for effect in station.machine.receive(world.now, connection, sealer.seal(body)):
            assert isinstance(effect, SendToPeer)
    assert station.machine.online == [alice.id]


@settings(deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=200), DEEP), max_size=10))
def test_hostile_relays(bodies):
    world, station, _ = a_world()
    for body in bodies:
        for data in (body, bytes([access_point_messages.VERSION]) + body):
            assert station.machine.relayed(world.now, "tw-" + "a" * 32, data) == []


@settings(deadline=None)
@given(st.lists(HOSTILE, max_size=10))
def test_hostile_bytes_from_an_access_point(messages):
    world, _, alice = a_world()
    [(_, line, _)] = world.connections.values()
    for data in messages:
        alice.do(alice.machine.receive(world.now, line, data))
    world.wait(60)
    token = alice.request_id("publish", b"urn:e:1 news")
    world.run()
    assert alice.answer(token).receipts


WORDS = st.one_of(
    st.builds(peer_messages.Register, st.text(max_size=5), st.integers(0, 5)),
    st.builds(peer_messages.Unsubscribe, st.sampled_from(["a", "b"]), st.integers(0, 5)),
    st.builds(
        peer_messages.Subscribe,
        st.sampled_from(["a", "b"]),
        st.just("l"),
        st.just("news"),
        st.none(),
        st.integers(0, 5),
    ),
    st.builds(peer_messages.NotificationAck, st.sampled_from(["a", "b"]), st.integers(0, 3), st.integers(0, 1 << 40)),
    st.builds(peer_messages.Collect, st.just("x"), st.integers(0, 5)),
    st.builds(peer_messages.Collected, st.just("x")),
    st.builds(
        peer_messages.Upload, st.just("tw-" + "a" * 32), st.just("x"), st.binary(), st.just(""), st.integers(0, 5)
    ),
    st.builds(peer_messages.Migrate, st.just("tw-" + "a" * 32), st.integers(0, 5)),
    st.builds(peer_messages.Moved, st.integers(0, 5)),
    st.builds(peer_messages.KeepAlive),
    st.builds(peer_messages.Goodbye),
    st.builds(peer_messages.Withdraw, st.integers(0, 5)),
    st.builds(peer_messages.Publish, st.just("k"), st.just(b"urn:e news"), st.integers(0, 5)),
)


@settings(deadline=None)
@given(st.lists(WORDS, max_size=12))
def test_any_words_in_any_order(said):
    """Whatever a peer says, and whenever, the access point goes on."""
    world, station, alice = a_world()
    [(connection, (_, line, _))] = world.connections.items()
    sealer = alice.machine._connections.connection_named(line)._channel.sealer
    for message in said:
        station.do(station.machine.receive(world.now, connection, sealer.seal(peer_messages.encode(message))))
        for _ in range(3):
            world.step()
    world.wait(60)
    bob = world.walker("B", station)
    bob.start()
    bob.request_id("subscribe", "news", SubscriptionQuery("topic", "other"))
    world.run()
    station.publish("urn:e:9", "other")
    world.run()
    assert bob.saved == [("news", "urn:e:9")]


def test_a_hello_is_answered_whoever_says_it():
    world, station, _ = a_world()
    [effect] = station.machine.receive(
        world.now, "c", clear(peer_messages.encode(peer_messages.Hello(bytes(32), bytes(32))))
    )
    assert isinstance(peer_messages.decode_handshake_message(clear_body(effect.data)), peer_messages.Challenge)
