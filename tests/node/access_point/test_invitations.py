"""Invitations of an access point: a file, and peers over real sockets."""

from __future__ import annotations

import os

import msgspec
import pytest
from tests.node.access_point.peerage import QUICK, court_at, here, place_of

from triplewire.client.peer import Folder, PeerProgram
from triplewire.errors import InputError, NodeUnreachable
from triplewire.node.access.invitations import Invitations

FIRST, SECOND = "the first invitation", "the second invitation"


def test_a_file_has_one_a_line_and_is_read_again_when_it_has_changed(tmp_path):
    file = tmp_path / "invitations"
    file.write_text(f"# for the library\n{FIRST}\n\n")
    invitations = Invitations(file)
    assert invitations.invites(FIRST)
    assert not any(map(invitations.invites, ("", SECOND, "# for the library", FIRST + " ")))
    file.write_text(f"{SECOND}\n")
    os.utime(file, (1, 1))
    assert (invitations.invites(FIRST), invitations.invites(SECOND)) == (False, True)


def test_a_file_without_any_invites_nobody(tmp_path):
    (tmp_path / "invitations").write_text("\n")
    assert not Invitations(tmp_path / "invitations").invites("")


def test_a_file_that_is_gone_invites_nobody(tmp_path):
    file = tmp_path / "invitations"
    file.write_text(FIRST)
    invitations = Invitations(file)
    file.unlink()
    assert not invitations.invites(FIRST)


@pytest.mark.parametrize(("content", "message"), [(b"short\n", "less than 16"), (b"x" * (2 << 20), "bytes")])
def test_a_file_that_is_wrong_is_said_to_be_without_its_secrets(tmp_path, content, message):
    (tmp_path / "invitations").write_bytes(content)
    with pytest.raises(InputError, match=message) as found:
        Invitations(tmp_path / "invitations")
    assert content.decode().strip() not in str(found.value)
    with pytest.raises(InputError, match="No such file"):
        Invitations(tmp_path / "nowhere")


async def test_a12_only_invited_peers_register(tmp_path):
    (tmp_path / "invitations").write_text(FIRST)

    async with court_at(tmp_path) as court:
        node = await court.open("AP", peers_invitations=tmp_path / "invitations")
        with pytest.raises(NodeUnreachable, match="wanted an invitation to this access point, found none"):
            async with PeerProgram(court.peer("B", node), timings=QUICK, seconds=5.0) as bob:
                await bob.connected()
        assert node.peers.machine.peers == []
        place = msgspec.structs.replace(place_of(node), invitation=FIRST)
        async with here(Folder.make(tmp_path / "invited", place)) as [alice]:
            assert node.peers.machine.peers == [alice.id]


async def test_a9_no_more_peers_register_than_there_may_be(tmp_path):
    async with court_at(tmp_path) as court:
        node = await court.open("AP", peers_most=1)
        async with here(court.peer("A", node)) as [alice]:
            with pytest.raises(NodeUnreachable, match="at most 1 peers"):
                async with PeerProgram(court.peer("B", node), timings=QUICK, seconds=5.0) as bob:
                    await bob.connected()
            assert node.peers.machine.peers == [alice.id]
