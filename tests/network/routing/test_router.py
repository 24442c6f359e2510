"""Advertisements, subscriptions and events between super-peers: sections 3.2 to 3.4 of Chirita et al."""

from __future__ import annotations

import pytest
from tests.network.lattice import DC, LOM, Lattice, asking, offering

from triplewire.network.messages import Advertise, Notify, Subscribe

ALL = asking()
RECENT = asking("FILTER(?d > 2003)")
NEWEST = asking("FILTER(?d > 2010)")


@pytest.fixture
def eight() -> Lattice:
    return Lattice(8)


class TestAdvertisements:
    def test_one_reaches_everybody_in_one_message_less_than_there_are(self, eight: Lattice) -> None:
        before = eight.messages(Advertise)
        eight.advertise("5", offering(DC))
        assert eight.messages(Advertise) - before == 7
        for name, peer in eight.peers.items():
            if name != "5":
                dimension = peer.cube.dimension(int(name), 5)
                assert set(peer.router.advertisements.dimensions.describes(dimension)) == {offering(DC).key}

    def test_a_second_one_of_the_same_stops_where_nothing_changes(self, eight: Lattice) -> None:
        eight.advertise("5", offering(DC))
        before = eight.messages(Advertise)
        eight.advertise("5", offering(DC), peer="another")
        assert eight.messages(Advertise) == before, "the same from another peer of the same access point"
        eight.advertise("7", offering(DC))
        assert 0 < eight.messages(Advertise) - before < 7

    def test_a_withdrawal_leaves_what_another_still_advertises(self, eight: Lattice) -> None:
        eight.advertise("5", offering(DC))
        eight.advertise("7", offering(DC))
        eight.withdraw("5", offering(DC))
        eight.subscribe("0", ALL)
        eight.publish("7", "urn:e:1")
        assert eight.accepted == [("0", "urn:e:1")]
        assert "5" not in eight.holders(ALL)

    def test_the_last_withdrawal_empties_every_index(self, eight: Lattice) -> None:
        for name in ("5", "7", "2"):
            eight.advertise(name, offering(DC))
        for name in ("7", "5", "2"):
            eight.withdraw(name, offering(DC))
        assert all(not peer.router.advertisements.dimensions.all_descriptions() for peer in eight.peers.values())

    def test_a_withdrawn_one_counts_for_a_while_yet(self) -> None:
        """Whoever publishes and goes away at once is heard by those who have to recall it."""
        lingering = Lattice(4, linger=10)
        lingering.advertise("3", offering(DC))
        lingering.withdraw("3", offering(DC))
        lingering.subscribe("0", ALL)
        assert "3" in lingering.holders(ALL)
        lingering.pass_time(11)
        assert "3" not in lingering.holders(ALL)

    def test_one_that_is_not_repeated_expires(self, eight: Lattice) -> None:
        eight.advertise("5", offering(DC), lasts=3)
        eight.pass_time(2)
        eight.advertise("5", offering(DC), lasts=3)
        eight.pass_time(2)
        assert eight.peers["0"].router.advertisements.dimensions.all_descriptions()
        eight.pass_time(2)
        assert not eight.peers["0"].router.advertisements.dimensions.all_descriptions()


class TestSubscriptions:
    def test_one_goes_only_where_it_is_covered(self, eight: Lattice) -> None:
        eight.advertise("5", offering(DC))
        eight.advertise("6", offering(LOM))
        before = eight.messages(Subscribe)
        eight.subscribe("0", ALL)
        assert eight.holders(ALL) == {"0", "1", "5"}
        assert eight.messages(Subscribe) - before == 2

    def test_nobody_gets_one_twice(self, eight: Lattice) -> None:
        for name in eight.peers:
            eight.advertise(name, offering(DC))
        before = eight.messages(Subscribe)
        eight.subscribe("3", ALL)
        assert eight.holders(ALL) == set(eight.peers)
        assert eight.messages(Subscribe) - before == 7

    def test_a_late_advertisement_gets_what_it_needs(self, eight: Lattice) -> None:
        eight.subscribe("0", ALL)
        assert eight.holders(ALL) == {"0"}
        eight.advertise("7", offering(DC))
        eight.publish("7", "urn:e:1")
        eight.pass_time(2)
        assert eight.holders(ALL) == {"0", "1", "3", "7"}
        assert eight.accepted == [("0", "urn:e:1")]

    def test_a_narrower_one_is_held_back_and_sent_when_the_wider_ends(self, eight: Lattice) -> None:
        eight.advertise("7", offering(DC))
        eight.subscribe("0", RECENT)
        before = eight.messages(Subscribe)
        eight.subscribe("0", NEWEST, peer="eve")
        assert eight.messages(Subscribe) == before
        assert eight.holders(NEWEST) == {"0"}
        eight.unsubscribe("0", RECENT)
        assert eight.holders(RECENT) == set()
        assert eight.holders(NEWEST) == {"0", "1", "3", "7"}

    def test_it_is_held_back_on_that_very_link_only(self, eight: Lattice) -> None:
        """At 1 two meet: what 0 sent over 1 holds back nothing of what 1 itself sends elsewhere."""
        eight.advertise("7", offering(DC))
        eight.advertise("0", offering(DC))
        eight.subscribe("0", RECENT)
        eight.subscribe("1", NEWEST)
        eight.publish("0", "urn:e:1", date=2011)
        eight.publish("7", "urn:e:2", date=2011)
        assert sorted(eight.accepted) == [("0", "urn:e:2"), ("1", "urn:e:1"), ("1", "urn:e:2")]

    def test_one_ends_everywhere(self, eight: Lattice) -> None:
        eight.advertise("7", offering(DC))
        eight.subscribe("0", ALL)
        eight.unsubscribe("0", ALL)
        assert eight.holders(ALL) == set()
        before = eight.messages(Notify)
        eight.publish("7", "urn:e:1")
        assert eight.messages(Notify) == before


class TestNotifications:
    def test_one_goes_back_along_the_path_of_the_subscription(self, eight: Lattice) -> None:
        eight.advertise("7", offering(DC))
        eight.subscribe("0", RECENT)
        before = eight.messages(Notify)
        eight.publish("7", "urn:e:1", date=2004)
        assert eight.accepted == [("0", "urn:e:1")]
        assert eight.messages(Notify) - before == 3

    def test_what_nobody_asks_for_goes_nowhere(self, eight: Lattice) -> None:
        eight.advertise("7", offering(DC))
        eight.subscribe("0", RECENT)
        before = eight.messages(Notify)
        eight.publish("7", "urn:e:1", date=2003)
        assert eight.messages(Notify) == before
        assert eight.accepted == []

    def test_a_link_carries_one_for_many_subscriptions(self, eight: Lattice) -> None:
        eight.advertise("7", offering(DC))
        eight.subscribe("0", ALL)
        eight.subscribe("0", RECENT, peer="eve")
        eight.subscribe("2", NEWEST)
        before = eight.messages(Notify)
        eight.publish("7", "urn:e:1", date=2011)
        assert sorted(eight.accepted) == [("0", "urn:e:1"), ("2", "urn:e:1")]
        assert eight.messages(Notify) - before == 4, "7 to 3, 3 to 1 and 2, 1 to 0"


class TestLeaving:
    def test_whoever_leaves_learns_that_it_was_heard(self, eight: Lattice) -> None:
        leaver = eight.peers["5"]
        goodbye = leaver.leave(eight.now)
        assert not leaver.is_flushed
        eight.carry("5", goodbye)
        eight.pass_time(1)
        assert leaver.is_flushed
        assert all(not peer.members.is_alive("5") for name, peer in eight.peers.items() if name != "5")

    def test_others_go_on_without_it(self, eight: Lattice) -> None:
        eight.advertise("7", offering(DC))
        eight.subscribe("0", ALL)
        eight.carry("1", eight.peers["1"].leave(eight.now))
        eight.pass_time(2)
        eight.lose("1")
        eight.publish("7", "urn:e:1")
        eight.pass_time(2)
        assert list(dict.fromkeys(eight.accepted)) == [("0", "urn:e:1")]


class TestTrouble:
    def test_what_was_published_while_a_neighbour_was_dying_is_recalled(self, eight: Lattice) -> None:
        eight.advertise("7", offering(DC))
        eight.subscribe("0", ALL)
        eight.pass_time(3)
        eight.lose("1")
        eight.publish("7", "urn:e:1")
        eight.pass_time(20)
        eight.publish("7", "urn:e:2")
        eight.pass_time(2)
        assert list(dict.fromkeys(eight.accepted)) == [("0", "urn:e:1"), ("0", "urn:e:2")]

    def test_when_nothing_changes_nothing_is_recalled(self, eight: Lattice) -> None:
        eight.advertise("7", offering(DC))
        eight.subscribe("0", ALL)
        for number in range(5):
            eight.publish("7", f"urn:e:{number}")
            eight.pass_time(2)
        assert eight.accepted == [("0", f"urn:e:{number}") for number in range(5)]
        before = eight.messages(Subscribe)
        eight.pass_time(30)
        assert eight.messages(Subscribe) == before

    def test_everybody_knows_how_far_it_has_heard(self, eight: Lattice) -> None:
        for number in range(5):
            eight.publish("7", f"urn:e:{number}")
        eight.pass_time(10)
        assert {peer.saved_state().watermarks["7"] for peer in eight.peers.values()} == {5}
