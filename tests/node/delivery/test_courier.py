"""One webhook's steps: order, retries, dead letters, lease; on monotonic time only (F8)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from triplewire.node.delivery.courier import (
    Bury,
    Courier,
    Lapse,
    Patience,
    Post,
    Rest,
    accepted,
    next_step,
    refused,
    renewed,
)

PATIENCE = Patience(first_delay=1, longest_delay=60, tries=4)


def fresh() -> Courier:
    return Courier(cursor=0, lease_ends=1000.0)


def test_a_waiting_notification_is_posted_at_once():
    assert next_step(fresh(), 5.0) == Post()


def test_a_refused_one_rests_and_is_then_tried_again():
    courier, buried = refused(fresh(), 7, PATIENCE, now=10.0, chance=1.0)
    assert buried is None
    assert next_step(courier, 10.5) == Rest(11.0)
    assert next_step(courier, 11.0) == Post()
    assert courier.cursor == 0
    assert courier.suspect


def test_after_the_last_try_it_is_buried_and_the_next_one_is_due_after_a_rest():
    courier, now, burials = fresh(), 0.0, []
    for _ in range(PATIENCE.tries):
        courier, buried = refused(courier, 7, PATIENCE, now=now, chance=0.0)
        burials.append(buried)
        now = courier.not_before
    assert burials == [None, None, None, Bury(4)]
    assert courier.cursor == 7
    assert courier.tries == 0
    assert courier.suspect


def test_an_accepted_one_clears_the_record():
    courier, _ = refused(fresh(), 7, PATIENCE, now=0.0, chance=0.5)
    assert accepted(courier, 7) == Courier(cursor=7, lease_ends=1000.0)


def test_a14_a_lease_that_is_over_stops_delivery_until_it_is_renewed():
    assert next_step(fresh(), 1000.0) == Lapse()
    assert next_step(renewed(fresh(), 2000.0), 1000.0) == Post()


def test_a14_no_rest_is_longer_than_the_lease():
    courier, _ = refused(fresh(), 1, PATIENCE, now=999.9, chance=1.0)
    assert next_step(courier, 999.95) == Rest(1000.0)


@given(st.integers(0, 10_000), st.floats(0, 1))
def test_rests_double_up_to_a_bound_and_are_spread_over_their_upper_half(failures, chance):
    courier, _ = refused(replace(fresh(), failures=failures), 7, PATIENCE, now=10.0, chance=chance)
    whole = min(60, 2.0 ** min(failures, 50))
    assert 10 + whole / 2 <= courier.not_before <= 10 + whole


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), max_size=60))
def test_order_the_cursor_only_moves_forward_one_at_a_time_and_each_is_delivered_or_buried(outcomes):
    courier, now, settled = fresh(), 0.0, []
    for succeeds, chance in outcomes:
        now = max(now, courier.not_before)
        position = courier.cursor + 1
        if succeeds:
            courier = accepted(courier, position)
            settled.append(position)
        else:
            courier, buried = refused(courier, position, PATIENCE, now=now, chance=chance)
            if buried:
                settled.append(position)
    assert settled == list(range(1, courier.cursor + 1))
