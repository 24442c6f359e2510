"""What a peer remembers when it moves."""

from triplewire.network.sessions.peer.saved_state import AccessPointInfo, PreviousAccessPoint, SavedPeer, earlier

ONE, TWO, THREE = (AccessPointInfo(bytes([number]) * 32, f"tcp://{number}") for number in (1, 2, 3))


def test_moving_leaves_the_last_place_to_be_drained():
    home = SavedPeer(at=ONE).moving_to(TWO).moving_to(THREE)
    assert (home.at, home.previous) == (THREE, (PreviousAccessPoint(ONE), PreviousAccessPoint(TWO)))


def test_moving_to_where_it_is_takes_the_new_address():
    here = AccessPointInfo(ONE.public_key, "tcp://elsewhere")
    home = SavedPeer(at=ONE).moving_to(here)
    assert (home.at, home.previous) == (here, ())


def test_coming_back_before_having_left():
    home = SavedPeer(at=ONE).moving_to(TWO).moving_to(ONE)
    assert (home.at, home.previous, home.since) == (ONE, (PreviousAccessPoint(TWO),), None)


def test_coming_back_to_a_place_that_may_have_let_go():
    """It was drained up to a tide: what came after that must be asked for."""
    home = SavedPeer(at=ONE).moving_to(TWO).drained(ONE.id, {"a": 5}).moving_to(ONE)
    assert (home.previous, home.since) == ((PreviousAccessPoint(TWO),), {"a": 5})


def test_two_places_let_go_one_after_the_other():
    home = SavedPeer(at=ONE).moving_to(TWO).moving_to(THREE).drained(ONE.id, {"a": 5, "b": 2}).drained(TWO.id, {"a": 7})
    home = home.released(ONE.id)
    assert home.since == {"a": 5, "b": 2}
    home = home.released(TWO.id)
    assert (home.previous, home.since) == ((), {"a": 5})


def test_a_place_that_forgot_the_peer_by_itself_leaves_no_tide():
    home = SavedPeer(at=ONE).moving_to(TWO).released(ONE.id)
    assert (home.previous, home.since) == ((), None)


def test_the_earlier_of_two_tides_covers_both():
    assert earlier({"a": 1, "b": 9, "c": 1}, {"a": 2, "b": 3}) == {"a": 1, "b": 3}
