"""What a super-peer with the right key and wrong words says changes nothing, and stops nobody."""

from __future__ import annotations

import msgspec
import pytest
from tests.network.lattice import DC, Lattice, asking, offering

from triplewire.network.effects import SendMessage
from triplewire.network.messages import Advertise, Description, Message, Notify, Publication, StandingQuery, Subscribe

ALL = asking()
RECENT = asking("FILTER(?d > 2003)")


@pytest.fixture
def four() -> Lattice:
    """At 3 somebody publishes, at 0 somebody listens, and both are neighbours of 1."""
    lattice = Lattice(4)
    lattice.advertise("3", offering(DC))
    lattice.subscribe("0", ALL)
    return lattice


def _say(lattice: Lattice, sender: str, to: str, message: Message) -> None:
    peer = lattice.peers[sender]
    lattice.carry(sender, peer._to_effects(lattice.now, [SendMessage(to, message)]))


@pytest.mark.parametrize(
    "bad",
    [
        StandingQuery("k", "sparql", "SELECT nonsense"),
        StandingQuery("k", "klingon", "ASK {}"),
        StandingQuery(ALL.key, "sparql", RECENT.text),
        StandingQuery("k", "sparql", "ASK { SERVICE <http://example.org/> { ?s ?p ?o } }"),
    ],
    ids=["syntax", "language", "another's key", "refused feature"],
)
def test_a_bad_subscription_is_left_out_and_a_good_one_beside_it_counts(four: Lattice, bad: StandingQuery) -> None:
    _say(four, "0", "1", Subscribe(0, (bad, RECENT)))
    router = four.peers["1"].router
    assert router.validator.refused == 1
    assert router.poset.query(ALL.key) == ALL
    assert RECENT.key in router.poset
    four.publish("3", "urn:e:1")
    assert four.accepted == [("0", "urn:e:1")]


@pytest.mark.parametrize(
    "bad",
    [
        Description("k", "this is not Turtle"),
        Description("k", ""),
        msgspec.structs.replace(offering(DC), key="another"),
    ],
    ids=["syntax", "empty", "another's key"],
)
def test_a_bad_description_is_left_out(four: Lattice, bad: Description) -> None:
    _say(four, "3", "1", Advertise(1, (bad,)))
    router = four.peers["1"].router
    assert router.validator.refused == 1
    assert set(router.advertisements.dimensions.describes(1)) == {offering(DC).key}


@pytest.mark.parametrize("nquads", [b"\xff\xfe", b"", b"<urn:s> <urn:p> <urn:o> <urn:another> .\n"])
def test_an_event_that_is_not_what_it_says_goes_nowhere(four: Lattice, nquads: bytes) -> None:
    bad = Publication("3", 1, "urn:e:1", "alice", "2004-01-01T00:00:00+00:00", None, nquads)
    _say(four, "3", "1", Notify(1, bad))
    assert four.peers["1"].router.validator.refused == 1
    assert four.accepted == []


def test_what_belongs_to_no_attachment_changes_nothing(four: Lattice) -> None:
    before = four.peers["1"].router.poset.query(ALL.key)
    _say(four, "2", "1", Subscribe(7, (RECENT,)))
    _say(four, "2", "1", Notify(3, Publication("3", 1, "urn:e:1", "a", "2004-01-01T00:00:00+00:00", None, b"")))
    _say(four, "2", "1", Advertise(9, (offering(DC),)))
    router = four.peers["1"].router
    assert router.poset.query(ALL.key) == before
    assert RECENT.key not in router.poset
