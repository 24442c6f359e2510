"""Bytes from anybody: whatever comes, the answer is a refusal, and the others notice nothing."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.network.sessions.world import World

from triplewire.network.sessions import between, words
from triplewire.network.sessions.effects import Tell
from triplewire.network.sessions.envelopes import clear, clear_body
from triplewire.network.sessions.home import Query

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
                assert isinstance(effect, Tell)
                assert isinstance(words.read_clear(clear_body(effect.data)), words.Refusal | words.Challenge)
    token = alice.ask("publish", b"urn:e:1 news")
    world.run()
    assert alice.answer(token).receipts


@settings(deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=200), DEEP), max_size=10))
def test_hostile_bodies_inside_genuine_envelopes(bodies):
    """A peer that is who it says may still say anything."""
    world, station, alice = a_world()
    [(connection, (_, line, _))] = world.connections.items()
    sealing = alice.machine._board.line(line)._session.sealing
    for body in bodies:
        for effect in station.machine.receive(world.now, connection, sealing.seal(body)):
            assert isinstance(effect, Tell)
    assert station.machine.online == [alice.id]


@settings(deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=200), DEEP), max_size=10))
def test_hostile_relays(bodies):
    world, station, _ = a_world()
    for body in bodies:
        for data in (body, bytes([between.VERSION]) + body):
            assert station.machine.relayed(world.now, "tw-" + "a" * 32, data) == []


@settings(deadline=None)
@given(st.lists(HOSTILE, max_size=10))
def test_hostile_bytes_from_an_access_point(messages):
    world, _, alice = a_world()
    [(_, line, _)] = world.connections.values()
    for data in messages:
        alice.do(alice.machine.receive(world.now, line, data))
    world.wait(60)
    token = alice.ask("publish", b"urn:e:1 news")
    world.run()
    assert alice.answer(token).receipts


WORDS = st.one_of(
    st.builds(words.Register, st.text(max_size=5), st.integers(0, 5)),
    st.builds(words.Unsubscribe, st.sampled_from(["a", "b"]), st.integers(0, 5)),
    st.builds(
        words.Subscribe, st.sampled_from(["a", "b"]), st.just("l"), st.just("news"), st.none(), st.integers(0, 5)
    ),
    st.builds(words.Received, st.sampled_from(["a", "b"]), st.integers(0, 3), st.integers(0, 1 << 40)),
    st.builds(words.Collect, st.just("x"), st.integers(0, 5)),
    st.builds(words.Collected, st.just("x")),
    st.builds(words.Upload, st.just("tw-" + "a" * 32), st.just("x"), st.binary(), st.just(""), st.integers(0, 5)),
    st.builds(words.Migrate, st.just("tw-" + "a" * 32), st.integers(0, 5)),
    st.builds(words.Moved, st.integers(0, 5)),
    st.builds(words.Present),
    st.builds(words.Farewell),
    st.builds(words.Withdraw, st.integers(0, 5)),
    st.builds(words.Publish, st.just("k"), st.just(b"urn:e news"), st.integers(0, 5)),
)


@settings(deadline=None)
@given(st.lists(WORDS, max_size=12))
def test_any_words_in_any_order(said):
    """Whatever a peer says, and whenever, the access point goes on."""
    world, station, alice = a_world()
    [(connection, (_, line, _))] = world.connections.items()
    sealing = alice.machine._board.line(line)._session.sealing
    for word in said:
        station.do(station.machine.receive(world.now, connection, sealing.seal(words.encode(word))))
        for _ in range(3):
            world.step()
    world.wait(60)
    bob = world.walker("B", station)
    bob.start()
    bob.ask("subscribe", "news", Query("topic", "other"))
    world.run()
    station.publish("urn:e:9", "other")
    world.run()
    assert bob.saved == [("news", "urn:e:9")]


def test_a_hello_is_answered_whoever_says_it():
    world, station, _ = a_world()
    [effect] = station.machine.receive(world.now, "c", clear(words.encode(words.Hello(bytes(32), bytes(32)))))
    assert isinstance(words.read_clear(clear_body(effect.data)), words.Challenge)
