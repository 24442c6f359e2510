"""One webhook's steps: order, retries, dead letters, lease; on monotonic time only (F8)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from triplewire.node.delivery.delivery_step import (
    Deliver,
    Expire,
    GiveUp,
    RetryPolicy,
    Wait,
    WebhookState,
    accepted,
    next_step,
    refused,
)

RETRY = RetryPolicy(first_delay=1, longest_delay=60, tries=4)


def fresh() -> WebhookState:
    return WebhookState(cursor=0, lease_ends=1000.0)


def test_a_waiting_notification_is_delivered_at_once():
    assert next_step(fresh(), 5.0) == Deliver()


def test_a_refused_one_waits_and_is_then_tried_again():
    state, given_up = refused(fresh(), 7, RETRY, now=10.0, chance=1.0)
    assert given_up is None
    assert next_step(state, 10.5) == Wait(11.0)
    assert next_step(state, 11.0) == Deliver()
    assert state.cursor == 0
    assert state.suspect


def test_after_the_last_try_it_is_given_up_and_the_next_one_is_due_after_a_wait():
    state, now, outcomes = fresh(), 0.0, []
    for _ in range(RETRY.tries):
        state, given_up = refused(state, 7, RETRY, now=now, chance=0.0)
        outcomes.append(given_up)
        now = state.not_before
    assert outcomes == [None, None, None, GiveUp(4)]
    assert state.cursor == 7
    assert state.tries == 0
    assert state.suspect


def test_an_accepted_one_clears_the_record():
    state, _ = refused(fresh(), 7, RETRY, now=0.0, chance=0.5)
    assert accepted(state, 7) == WebhookState(cursor=7, lease_ends=1000.0)


def test_a14_a_lease_that_is_over_stops_delivery():
    assert next_step(fresh(), 999.9) == Deliver()
    assert next_step(fresh(), 1000.0) == Expire()


def test_a14_no_wait_is_longer_than_the_lease():
    state, _ = refused(fresh(), 1, RETRY, now=999.9, chance=1.0)
    assert next_step(state, 999.95) == Wait(1000.0)


@given(st.integers(0, 10_000), st.floats(0, 1))
def test_waits_double_up_to_a_bound_and_are_spread_over_their_upper_half(failures, chance):
    state, _ = refused(replace(fresh(), failures=failures), 7, RETRY, now=10.0, chance=chance)
    whole = min(60, 2.0 ** min(failures, 50))
    assert 10 + whole / 2 <= state.not_before <= 10 + whole


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), max_size=60))
def test_order_the_cursor_only_moves_forward_one_at_a_time_and_each_is_delivered_or_given_up(outcomes):
    state, now, settled = fresh(), 0.0, []
    for succeeds, chance in outcomes:
        now = max(now, state.not_before)
        position = state.cursor + 1
        if succeeds:
            state = accepted(state, position)
            settled.append(position)
        else:
            state, given_up = refused(state, position, RETRY, now=now, chance=chance)
            if given_up:
                settled.append(position)
    assert settled == list(range(1, state.cursor + 1))
