"""What a peer brings to an access point, and when the tide has served."""

import random

from triplewire.network.sessions import peer_messages
from triplewire.network.sessions.peer.connections import Connections, ConnectionTimings
from triplewire.network.sessions.peer.saved_state import AccessPointInfo, PeerKeys, SavedPeer, SubscriptionQuery
from triplewire.network.sessions.peer.state import PeerState

HERE = AccessPointInfo(bytes([1]) * 32, "tcp://here")


def at_home(**kept):
    rng = random.Random(1)
    connections = Connections(PeerKeys(rng.randbytes(32), "tws_"), rng.randbytes, ConnectionTimings())
    connections.connect(0.0, HERE, "", is_known=False)
    return connections, PeerState(SavedPeer(at=HERE, **kept), connections)


def test_the_tide_has_served_when_every_subscription_was_told_with_it():
    queries = {"a": SubscriptionQuery("l", "a"), "b": SubscriptionQuery("l", "b")}
    connections, own = at_home(subscriptions=queries, since={"o": 5})
    own.resubscribe(0.0)
    connections.answered(0.0, HERE, peer_messages.Done(1))
    assert own.saved_state.since == {"o": 5}
    connections.answered(0.0, HERE, peer_messages.Done(2))
    assert own.saved_state.since is None


def test_an_answer_to_an_earlier_tide_does_not_count_for_a_later_one():
    connections, own = at_home(subscriptions={"a": SubscriptionQuery("l", "a")}, since={"o": 5})
    own.resubscribe(0.0)
    own.save(SavedPeer(at=HERE, subscriptions=own.saved_state.subscriptions, since={"o": 3}))
    connections.answered(0.0, HERE, peer_messages.Done(1))
    assert own.saved_state.since == {"o": 3}


def test_what_is_refused_for_now_is_asked_again_and_the_tide_kept_until_then():
    connections, own = at_home(subscriptions={"a": SubscriptionQuery("l", "a")}, since={"o": 5})
    own.resubscribe(0.0)
    connections.answered(1.0, HERE, peer_messages.RequestRefused(1, "a network", "none yet", again=True))
    assert own.saved_state.since == {"o": 5}
    own.renew(2.0)
    assert not connections.answered(2.0, HERE, peer_messages.KeepAlive())
    own.renew(10.0)
    connections.answered(10.0, HERE, peer_messages.Done(2))
    assert own.saved_state.since is None
    assert set(own.saved_state.subscriptions) == {"a"}


def test_without_subscriptions_a_tide_is_of_no_use():
    _, own = at_home(since={"o": 5})
    own.resubscribe(0.0)
    assert own.saved_state.since is None
