"""Row A12: replayed message, forged peer, swapped identifier, stolen public identifier: refused before parsing."""

import pytest
from tests.network.sessions.world import ENVELOPE_HEAD, World

from triplewire.errors import SessionRefused
from triplewire.network.sessions import peer_messages
from triplewire.network.sessions.access_point import access_point
from triplewire.network.sessions.access_point.effects import SendToPeer
from triplewire.network.sessions.envelopes import Reason, Sealer, clear, clear_body
from triplewire.network.sessions.handshake import PeerHandshake
from triplewire.network.sessions.peer.saved_state import SubscriptionQuery


@pytest.fixture
def world():
    return World()


@pytest.fixture
def station(world):
    return world.station("AP")


@pytest.fixture
def alice(world, station):
    walker = world.walker("A", station)
    walker.start()
    world.run()
    return walker


@pytest.fixture
def parsed(monkeypatch):
    """Every body that reaches the parser."""
    bodies = []
    read = peer_messages.decode_peer_message
    monkeypatch.setattr(
        access_point.peer_messages, "decode_peer_message", lambda body: bodies.append(body) or read(body)
    )
    return bodies


def connection_of(world, walker):
    [connection] = [key for key, (who, _, _) in world.connections.items() if who is walker]
    return connection


def refusal(effects):
    [effect] = effects
    assert isinstance(effect, SendToPeer)
    message = peer_messages.decode_handshake_message(clear_body(effect.data))
    assert isinstance(message, peer_messages.Refusal)
    return message.reason


def sealed_by(world, walker):
    """The last envelope that a peer sent."""
    return [data for sender, _, data in world.wire if sender == walker.name][-1]


def shake_hands(world, station, connection, private_key, secret, public_key=None):
    """Somebody goes through the handshake with a key and a secret, or what they take for it."""
    approach = PeerHandshake(private_key, secret, station.place.public_key, world.rng.randbytes)
    if public_key is not None:
        approach._public_key = public_key
    [challenge] = station.machine.receive(world.now, connection, clear(peer_messages.encode(approach.hello)))
    proof, session = approach.answer(peer_messages.decode_handshake_message(clear_body(challenge.data)), "", False)
    return station.machine.receive(world.now, connection, clear(peer_messages.encode(proof))), session


def test_a12_replayed_message(world, station, alice, parsed):
    alice.request_id("publish", b"urn:e:1 news")
    envelope = sealed_by(world, alice)
    world.run()
    assert len(parsed) == 1
    again = station.machine.receive(world.now, connection_of(world, alice), envelope)
    assert refusal(again) == Reason.REPLAY
    assert len(parsed) == 1
    assert len(world.logs[station.id]) == 1


def test_a12_replayed_message_over_another_connection(world, station, alice, parsed):
    alice.request_id("publish", b"urn:e:1 news")
    envelope = sealed_by(world, alice)
    assert refusal(station.machine.receive(world.now, "somebody else's", envelope)) == Reason.STRANGER
    assert not parsed


def test_a12_replayed_message_in_the_peers_next_session(world, station, alice, parsed):
    alice.request_id("publish", b"urn:e:1 news")
    envelope = sealed_by(world, alice)
    world.run()
    alice.crash()
    alice.start()
    world.run()
    parsed.clear()
    again = station.machine.receive(world.now, connection_of(world, alice), envelope)
    assert refusal(again) == Reason.SESSION
    assert not parsed


def test_a12_replayed_handshake(world, station, alice):
    hello, proof = [data for sender, _, data in world.wire if sender == "A"][:2]
    [challenge] = station.machine.receive(world.now, "thief", hello)
    assert isinstance(peer_messages.decode_handshake_message(clear_body(challenge.data)), peer_messages.Challenge)
    # The access point's number is another one this time, and the old signature is not about it.
    assert refusal(station.machine.receive(world.now, "thief", proof)) == Reason.KEY
    assert refusal(station.machine.receive(world.now, "thief", proof)) == Reason.STRANGER


def test_a12_forged_peer_without_the_key(world, station, alice):
    """Who does not hold the private key is not the peer, even with its secret."""
    forger = world.rng.randbytes(32)
    public_key = station.store.peers[alice.id].public_key
    effects, _ = shake_hands(world, station, "forger", forger, alice.keys.secret, public_key)
    assert refusal(effects) == Reason.KEY
    assert station.machine.online == [alice.id]


def test_a12_forged_peer_without_the_secret(world, station, alice):
    """Nor is who holds the key but not the private identifier."""
    effects, _ = shake_hands(world, station, "forger", alice.keys.private_key, "tws_" + "A" * 43)
    assert refusal(effects) == Reason.SECRET
    assert station.machine.online == [alice.id]


def test_a12_forged_message_with_another_key(world, station, alice, parsed):
    alice.request_id("publish", b"urn:e:1 news")
    envelope = sealed_by(world, alice)
    forged = Sealer(envelope[4:20], world.rng.randbytes(32)).seal(b"\xc1 not even a word")
    assert refusal(station.machine.receive(world.now, connection_of(world, alice), forged)) == Reason.TAG
    assert not parsed


@pytest.mark.parametrize(
    "place", [20, 27, 28, 59, 60, -1], ids=["number", "number's end", "tag", "tag's end", "body", "end"]
)
def test_a12_forged_message_by_changing_a_genuine_one(world, station, alice, parsed, place):
    alice.request_id("publish", b"urn:e:1 news")
    envelope = bytearray(sealed_by(world, alice))
    envelope[place] ^= 1
    assert refusal(station.machine.receive(world.now, connection_of(world, alice), bytes(envelope))) == Reason.TAG
    assert not parsed


def test_a12_swapped_identifier(world, station, alice, parsed):
    """Mallory, a peer like any other, sends what is hers under Alice's session, and over Alice's connection."""
    mallory = world.walker("M", station)
    mallory.start()
    world.run()
    alice.request_id("publish", b"urn:e:1 news")
    mallory.request_id("publish", b"urn:e:2 news")
    hers, alices = sealed_by(world, mallory), sealed_by(world, alice)
    swapped = hers[:4] + alices[4:20] + hers[20:]
    receive = station.machine.receive
    assert refusal(receive(world.now, connection_of(world, mallory), swapped)) == Reason.SESSION
    assert refusal(receive(world.now, connection_of(world, alice), swapped)) == Reason.TAG
    assert refusal(receive(world.now, connection_of(world, alice), hers)) == Reason.SESSION
    assert not parsed


def test_a12_stolen_public_identifier(world, station, alice):
    """The public identifier is known to everybody; with it alone nobody gets in, nor reads, nor changes anything."""
    alice.request_id("subscribe", "news", SubscriptionQuery("topic", "news"))
    world.run()
    public_key = station.store.peers[alice.id].public_key
    thief = world.rng.randbytes(32)
    effects, _ = shake_hands(world, station, "thief", thief, "tws_" + "B" * 43, public_key)
    assert refusal(effects) == Reason.KEY
    record = station.store.peers[alice.id]
    assert (record.public_key, set(station.store.subscriptions)) == (public_key, {(alice.id, "news")})


def test_a12_an_access_point_without_its_key_learns_nothing(world, station, alice):
    """A peer says its private identifier only to the access point whose key it knows."""
    impostor = World(seed=7).station("AP")
    approach = PeerHandshake(alice.keys.private_key, alice.keys.secret, station.place.public_key, world.rng.randbytes)
    [challenge] = impostor.machine.receive(0.0, "c", clear(peer_messages.encode(approach.hello)))
    with pytest.raises(SessionRefused) as refused:
        approach.answer(peer_messages.decode_handshake_message(clear_body(challenge.data)), "", False)
    assert refused.value.reason == Reason.KEY


def test_a12_a_refused_message_does_not_end_the_session(world, station, alice):
    alice.request_id("publish", b"urn:e:1 news")
    envelope = sealed_by(world, alice)
    world.run()
    connection = connection_of(world, alice)
    for forged in (envelope, envelope[:-1] + b"\0", b"", b"tw\x01\x02"):
        world.send(station, connection, station.machine.receive(world.now, connection, forged)[0].data)
    world.run()
    token = alice.request_id("publish", b"urn:e:2 news")
    world.wait(30)
    assert alice.answer(token).receipts[0].event == "urn:e:2"


def test_a_body_begins_where_the_envelope_ends():
    envelope = Sealer(bytes(16), bytes(32)).seal(b"body")
    assert envelope[ENVELOPE_HEAD:] == b"body"
