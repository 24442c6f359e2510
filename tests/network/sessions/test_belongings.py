"""What a peer brings to an access point, and when the tide has served."""

import random

from triplewire.network.sessions import peer_messages
from triplewire.network.sessions.peer.connections import Manner, Switchboard
from triplewire.network.sessions.peer.memory import Home, Keys, Place, Query
from triplewire.network.sessions.peer.state import Belongings

HERE = Place(bytes([1]) * 32, "tcp://here")


def at_home(**kept):
    rng = random.Random(1)
    board = Switchboard(Keys(rng.randbytes(32), "tws_"), rng.randbytes, Manner())
    board.connect(0.0, HERE, "", is_known=False)
    return board, Belongings(Home(at=HERE, **kept), board)


def test_the_tide_has_served_when_every_subscription_was_told_with_it():
    queries = {"a": Query("l", "a"), "b": Query("l", "b")}
    board, own = at_home(subscriptions=queries, since={"o": 5})
    own.take_over(0.0)
    board.answered(0.0, HERE, peer_messages.Done(1))
    assert own.home.since == {"o": 5}
    board.answered(0.0, HERE, peer_messages.Done(2))
    assert own.home.since is None


def test_an_answer_to_an_earlier_tide_does_not_count_for_a_later_one():
    board, own = at_home(subscriptions={"a": Query("l", "a")}, since={"o": 5})
    own.take_over(0.0)
    own.keep(Home(at=HERE, subscriptions=own.home.subscriptions, since={"o": 3}))
    board.answered(0.0, HERE, peer_messages.Done(1))
    assert own.home.since == {"o": 3}


def test_what_is_refused_for_now_is_asked_again_and_the_tide_kept_until_then():
    board, own = at_home(subscriptions={"a": Query("l", "a")}, since={"o": 5})
    own.take_over(0.0)
    board.answered(1.0, HERE, peer_messages.Refused(1, "a network", "none yet", again=True))
    assert own.home.since == {"o": 5}
    own.renew(2.0)
    assert not board.answered(2.0, HERE, peer_messages.Present())
    own.renew(10.0)
    board.answered(10.0, HERE, peer_messages.Done(2))
    assert own.home.since is None
    assert set(own.home.subscriptions) == {"a"}


def test_without_subscriptions_a_tide_is_of_no_use():
    _, own = at_home(since={"o": 5})
    own.take_over(0.0)
    assert own.home.since is None
