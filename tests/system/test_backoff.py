"""Backoff: how long to wait before the next try."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from triplewire.system.backoff import Backoff

SECONDS = st.floats(0.001, 1e6)
CHANCES = st.floats(0, 1)
FAILURES = st.integers(1, 100_000)


@given(SECONDS, SECONDS, FAILURES, CHANCES)
def test_a_delay_is_between_half_and_all_of_what_doubling_gives_up_to_the_longest(first, longest, failures, chance):
    delay = Backoff(first, longest).delay(failures, chance)
    whole = min(longest, first * 2 ** min(failures - 1, 200))
    assert whole / 2 <= delay <= whole


@given(SECONDS, st.integers(1, 40))
def test_a_delay_is_twice_the_one_before_until_the_longest_is_reached(first, failures):
    backoff = Backoff(first, longest=1e300)
    assert backoff.delay(failures + 1) == 2 * backoff.delay(failures)


@given(SECONDS, SECONDS, FAILURES)
def test_no_failure_makes_a_delay_shorter(first, longest, failures):
    backoff = Backoff(first, longest)
    assert backoff.delay(failures) <= backoff.delay(failures + 1) <= longest


@given(FAILURES, CHANCES, CHANCES)
def test_chance_spreads_those_that_failed_together(failures, one, other):
    assume(abs(one - other) > 1e-6)
    backoff = Backoff(1, 60)
    assert (backoff.delay(failures, one) < backoff.delay(failures, other)) == (one < other)
