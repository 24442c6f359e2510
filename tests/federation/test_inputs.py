"""Every input survives the log; what is none is damage."""

from __future__ import annotations

import pytest
from tests.federation.federation import a, called
from tests.federation.sites.codec.test_messages import GUARD, TOLD
from tests.rules.family import FAMILY

from triplewire.errors import DamagedStore
from triplewire.federation.inputs import (
    AskRelevance,
    AskTrace,
    BodyReceived,
    FromPeerReceived,
    Grant,
    Input,
    NetworkChanged,
    PeerJoined,
    PeerLeft,
    Register,
    Submit,
    Tick,
    Unregister,
    Withdraw,
    decode_input,
    encode_input,
)
from triplewire.federation.sites.site import PeerSite
from triplewire.languages.rdftl.syntax import Abort

INPUTS: list[Input] = [
    NetworkChanged(1.5, ("sp-2", "sp-3"), ("sp-2", "sp-3", "sp-4"), ((0, "sp-2"), (1, "sp-3"))),
    Tick(2.25),
    BodyReceived(3.0, "sp-2", b"tw:rules:1:\x92\xff"),
    BodyReceived(3.0, "", b""),
    PeerLeft(4.0, "ann"),
    *(FromPeerReceived(5.0, "ann", message) for message in TOLD),
    Register(6.0, "ON …", 1_700_000_000.125, "ann", Abort.MUTUAL),
    Register(6.0, "ON …", 0.0),
    Unregister(7.0, "sp-1.1"),
    Submit(8.0, "ann", "DELETE …"),
    Withdraw(9.0, "sp-1/7", "no"),
    AskRelevance(9.5, "ON …", 5.0),
    AskTrace(9.5, "sp-2/7", 5.0),
    Grant(10.0, GUARD),
]


@pytest.mark.parametrize("given", INPUTS, ids=lambda given: type(given).__name__)
def test_every_input_survives(given: Input):
    assert decode_input(encode_input(given)) == given


def test_a_peer_that_joins_survives_with_all_that_it_has():
    site = PeerSite("p", FAMILY)
    site.load([a("ann", "Nurse"), called("ann", "Ann")])
    found = decode_input(encode_input(PeerJoined(1.0, "p", site.view, 7)))
    assert isinstance(found, PeerJoined)
    assert (found.now, found.peer, found.next_serial) == (1.0, "p", 7)
    assert (found.view.declared, found.view.nodes) == (FAMILY, site.view.nodes)
    assert set(found.view.references) == set(site.view.references)


def test_there_is_one_of_every_kind():
    assert {type(given) for given in INPUTS} | {PeerJoined} == set(Input.__args__)


@pytest.mark.parametrize(
    "data", [b"", b"\x00", encode_input(INPUTS[0])[:-1], encode_input(INPUTS[-1]).replace(b"http", b"\xfftp")]
)
def test_what_is_no_input_is_damage(data: bytes):
    with pytest.raises(DamagedStore):
        decode_input(data)
