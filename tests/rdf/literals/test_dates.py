from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from triplewire.rdf.literals.dates import DAY, PATTERNS, SECOND, Moment, days_before, order_moments, parse_moment

DATE_TIME = PATTERNS["dateTime"]
_zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
_times = st.datetimes(datetime(1, 2, 1), datetime(9999, 11, 30), timezones=_zones)


def _moment(time: datetime) -> Moment:
    parsed = parse_moment(DATE_TIME, time.isoformat())
    assert parsed is not None
    return parsed


@given(_times, _times)
def test_date_times_with_a_zone_are_ordered_as_python_orders_them(a: datetime, b: datetime) -> None:
    assert order_moments(_moment(a), _moment(b)) == (a > b) - (a < b)


@given(_times)
def test_an_instant_counts_from_the_beginning_of_the_year_0(time: datetime) -> None:
    since = time - datetime(1, 1, 1, tzinfo=UTC)
    assert _moment(time).instant == 366 * DAY + (since // timedelta(microseconds=1)) * (SECOND // 10**6)


@given(_times, st.integers(-30 * 60, 30 * 60))
def test_without_a_zone_fourteen_hours_decide(time: datetime, minutes: int) -> None:
    other = time.astimezone(UTC).replace(tzinfo=None) + timedelta(minutes=minutes)
    expected = None if abs(minutes) <= 14 * 60 else -1 if minutes > 0 else 1
    assert order_moments(_moment(time), _moment(other)) == expected
    assert order_moments(_moment(other), _moment(time)) == (None if expected is None else -expected)


def test_the_calendar_has_no_end() -> None:
    assert days_before(2000, 3) - days_before(2000, 2) == 29
    assert days_before(1900, 3) - days_before(1900, 2) == 28
    assert days_before(0, 1) == 0
    assert days_before(-400, 1) == -146_097
    assert parse_moment(PATTERNS["date"], "-4712-01-01") is not None


def test_text_of_a_million_digits_costs_nothing() -> None:
    assert parse_moment(PATTERNS["gYear"], "1" * 1_000_000) is None
    assert parse_moment(DATE_TIME, f"2020-01-01T00:00:00.{'1' * 1_000_000}") is None
