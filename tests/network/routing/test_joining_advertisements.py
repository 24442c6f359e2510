"""Several advertisements of one client are read together: algorithm 1 asks the target, not each description."""

from __future__ import annotations

import pytest
from tests.network.lattice import DC, LOM, Lattice, asking

from triplewire.algebra import Advertisement, Interval
from triplewire.network.messages import Description
from triplewire.network.routing.advertisements.descriptions import describe

ALL = asking()
RECENT = asking("FILTER(?d > 2003)")


def properties(*names: str) -> Description:
    return describe([Advertisement.properties([DC + name for name in names])])


def values(**found: object) -> Description:
    return describe([Advertisement.values({DC + name: values for name, values in found.items()})])


def schemas(*names: str) -> Description:
    return describe([Advertisement.schemas(names)])


TITLE, DATE = properties("title"), properties("date")


@pytest.mark.parametrize("size", [2, 8])
def test_one_advertisement_for_each_property_brings_a_subscription_to_both(size):
    lattice = Lattice(size)
    lattice.advertise("1", TITLE)
    lattice.advertise("1", DATE)
    lattice.subscribe("0", ALL)
    lattice.publish("1", "urn:e:1")
    assert lattice.accepted == [("0", "urn:e:1")]


def test_the_second_one_comes_after_the_subscription_and_the_event():
    lattice = Lattice(4)
    lattice.advertise("3", TITLE)
    lattice.subscribe("0", ALL)
    lattice.publish("3", "urn:e:1")
    lattice.advertise("3", DATE)
    lattice.pass_time(2)
    assert lattice.accepted == [("0", "urn:e:1")]


def test_withdrawing_one_of_the_two_takes_the_subscription_back():
    lattice = Lattice(4)
    lattice.advertise("3", TITLE)
    lattice.advertise("3", DATE)
    lattice.subscribe("0", ALL)
    assert "3" in lattice.holders(ALL)
    lattice.withdraw("3", DATE)
    assert lattice.holders(ALL) == {"0"}
    lattice.advertise("3", DATE)
    assert "3" in lattice.holders(ALL)
    lattice.withdraw("3", TITLE)
    lattice.withdraw("3", DATE)
    assert all(not peer.router.advertisements.dimensions.all_descriptions() for peer in lattice.peers.values())
    assert not lattice.peers["3"].router.advertisements.peers.all_descriptions()


def test_what_is_withdrawn_lingers_together_with_what_stands():
    lattice = Lattice(4, linger=10)
    lattice.advertise("3", TITLE)
    lattice.advertise("3", DATE)
    lattice.withdraw("3", DATE)
    lattice.subscribe("0", ALL)
    assert "3" in lattice.holders(ALL)
    lattice.pass_time(11)
    assert "3" not in lattice.holders(ALL)


def test_two_clients_are_not_read_together():
    """An event has one publisher: neither of these two says that it will publish both."""
    lattice = Lattice(4)
    lattice.advertise("3", TITLE, peer="alice")
    lattice.advertise("3", DATE, peer="carol")
    lattice.advertise("2", DATE, peer="dave")
    lattice.subscribe("0", ALL)
    assert lattice.holders(ALL) == {"0"}


@pytest.mark.parametrize(
    ("advertised", "query", "is_sent"),
    [
        ((values(title=["On tripwires"]), values(date=[2004])), RECENT, True),
        ((values(title=["On tripwires"]), DATE), RECENT, True),
        ((schemas(LOM), values(title=["On tripwires"]), DATE), ALL, True),
        ((schemas(DC), values(date=[2000])), RECENT, True),
        ((TITLE, values(date=[2000])), RECENT, False),
        ((TITLE, values(date=[2000]), values(date=[Interval(2004, None)])), RECENT, True),
        ((TITLE, values(date=[2000]), DATE), RECENT, True),
        ((schemas(LOM), TITLE), ALL, False),
    ],
)
def test_values_schemas_and_properties_together(advertised, query, is_sent):
    """A property that one advertisement leaves free is free; otherwise the values of all count."""
    lattice = Lattice(2)
    for description in advertised:
        lattice.advertise("1", description)
    lattice.subscribe("0", query)
    assert ("1" in lattice.holders(query)) is is_sent


def test_whatever_one_alone_covers_is_covered_beside_others():
    """Values alone say nothing of other properties, whatever else their client advertises."""
    lattice = Lattice(2)
    lattice.advertise("1", values(title=["On tripwires"]))
    lattice.advertise("1", schemas(LOM))
    lattice.subscribe("0", ALL)
    assert "1" in lattice.holders(ALL)


def test_the_same_advertisement_twice_is_one():
    lattice = Lattice(2)
    lattice.advertise("1", TITLE)
    lattice.advertise("1", TITLE)
    assert [d.key for d in lattice.peers["0"].router.advertisements.dimensions.all_descriptions()] == [TITLE.key]
