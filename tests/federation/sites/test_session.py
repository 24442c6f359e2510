"""What a peer and its super-peer say to each other in a session is read as it was written, or refused."""

from __future__ import annotations

import pytest
from tests.federation.federation import a
from tests.rules.family import FAMILY

from triplewire.errors import MessageRefused
from triplewire.federation.sites import session
from triplewire.federation.sites.requests import Match, Matched, Received
from triplewire.federation.sites.session import Joined, Joining, NotJoined
from triplewire.federation.sites.site import PeerSite


def test_a_peer_joins_with_its_view():
    site = PeerSite("ann", FAMILY)
    site.load([a("bob", "Person")])
    found = session.read_at_super_peer(session.join(site.view, 7))
    assert isinstance(found, Joining)
    assert (found.next_serial, found.view.declared, found.view.nodes) == (7, FAMILY, site.view.nodes)
    assert set(found.view.references) == set(site.view.references)


def test_messages_go_both_ways():
    answer = Matched("q", ((a("bob", "Person"),),))
    assert session.read_at_super_peer(session.said_by_peer(answer)) == answer
    for message in (Match("q", ()), Received(3)):
        assert session.read_at_peer(session.said_by_super_peer(message)) == message
    for message in (Joined(), NotJoined("a peer that fits", "another")):
        assert session.read_at_peer(session.answer_to_join(message)) == message


@pytest.mark.parametrize("read", [session.read_at_super_peer, session.read_at_peer])
@pytest.mark.parametrize("body", [b"", b"\xc1", b"\x91" * 100_000, b"\x92\xa4said\xc4\x01\xc1", b"\x92\xa5other\x01"])
def test_anything_else_is_refused(read, body):
    with pytest.raises(MessageRefused):
        read(body)


@pytest.mark.parametrize("serial", [-1, 0, 2**60])
def test_a_serial_is_a_number_from_one(serial):
    body = session.join(PeerSite("ann", FAMILY).view, 1)
    assert session.read_at_super_peer(body).next_serial == 1
    with pytest.raises(MessageRefused):
        session.read_at_super_peer(session._encode(session.Join(b"", serial)))
