"""Who may register: anybody who knows the access point's key, or only those with an invitation."""

from __future__ import annotations

import msgspec
import pytest
from tests.network.sessions.world import World

from triplewire.errors import SessionRefused
from triplewire.network.sessions import peer_messages
from triplewire.network.sessions.envelopes import Reason, clear_body
from triplewire.network.sessions.handshake import PeerHandshake, challenge, check
from triplewire.network.sessions.identity import new_private_key, new_secret, public_key_of

INVITATION = "an invitation that nobody guesses"


def arriving(invitation: str, invitations: set[str] | None):
    """A new peer that shows this at an access point that invites so."""
    world = World()
    station = world.station("AP")
    station.invitations = invitations
    station.boot()
    alice = world.walker("A", station)
    alice.home = msgspec.structs.replace(alice.home, at=msgspec.structs.replace(station.place, invitation=invitation))
    alice.start()
    world.run()
    return world, station, alice


def test_without_invitations_anybody_registers():
    _, station, alice = arriving("", None)
    assert station.machine.online == [alice.id]


@pytest.mark.parametrize(("shown", "found"), [("", "none"), ("another invitation", "another")])
def test_a12_whoever_is_not_invited_leaves_nothing_behind(shown, found):
    world, station, _ = arriving(shown, {INVITATION})
    assert station.machine.peers == []
    assert station.store.peers == {}
    assert station.machine.refusals[Reason.INVITATION] == 1
    refusal = peer_messages.decode_handshake_message(clear_body(world.wire[-1][2]))
    assert refusal == peer_messages.Refusal(Reason.INVITATION, "an invitation to this access point", found)


def test_whoever_is_invited_registers_and_stays_when_the_invitation_is_taken_back():
    world, station, alice = arriving(INVITATION, {INVITATION})
    assert station.machine.online == [alice.id]
    alice.stop()
    world.run()
    station.invitations.clear()
    alice.home = msgspec.structs.replace(alice.home, at=station.place)
    alice.start()
    world.run()
    assert station.machine.online == [alice.id]


def test_a_peer_that_moves_shows_the_invitation_of_where_it_goes():
    world, station, alice = arriving("", None)
    other = world.station("AP2")
    other.invitations = {INVITATION}
    other.boot()
    alice.do(alice.machine.move(world.now, msgspec.structs.replace(other.place, invitation=INVITATION)))
    world.wait(30)
    assert (station.machine.peers, other.machine.online) == ([], [alice.id])


def test_a12_an_invitation_cannot_be_put_into_anothers_proof():
    """What is signed has the invitation in it, so nobody on the way adds or swaps one."""
    station, private_key = new_private_key(), new_private_key()
    approach = PeerHandshake(private_key, new_secret(), public_key_of(station), lambda count: bytes(count))
    message, context = challenge(station, approach.hello, lambda count: bytes(count))
    proof, _ = approach.answer(message, "", is_known=False)
    check(context, proof, None)
    with pytest.raises(SessionRefused, match="another signature"):
        check(context, msgspec.structs.replace(proof, invitation=INVITATION), None)
