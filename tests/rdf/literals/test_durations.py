from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triplewire.rdf.literals.dates import DAY, SECOND
from triplewire.rdf.literals.durations import (
    Duration,
    order_durations,
    parse_day_time_duration,
    parse_duration,
    parse_year_month_duration,
)

_durations = st.builds(Duration, st.integers(-30, 30), st.integers(-900, 900).map(lambda days: days * DAY))


def test_months_and_time_are_kept_apart() -> None:
    assert parse_duration("-P1Y2M3DT4H5M6.7S") == Duration(-14, -(3 * DAY + 14_706 * SECOND + 7 * SECOND // 10))


def test_the_derived_types_take_their_parts_only() -> None:
    assert parse_year_month_duration("P1Y") == parse_year_month_duration("P12M") == Duration(12, 0)
    assert parse_year_month_duration("P1D") is parse_year_month_duration("P1YT1S") is None
    assert parse_day_time_duration("PT1M") == Duration(0, 60 * SECOND)
    assert parse_day_time_duration("P1M") is parse_day_time_duration("P1YT1M") is None


def test_what_is_no_duration() -> None:
    for text in (
        "",
        "P",
        "PT",
        "-P",
        "P1",
        "1D",
        "P1H",
        "PT1D",
        "P1M1Y",
        "P-1D",
        "+P1D",
        "PT.S",
        "P1.5D",
        "P" + "1" * 999 + "D",
    ):
        assert parse_duration(text) is None


def test_the_order_is_that_of_xml_schema() -> None:
    def order(a: str, b: str) -> int | None:
        x, y = parse_duration(a), parse_duration(b)
        assert x is not None
        assert y is not None
        return order_durations(x, y)

    # The table of XML Schema part 2, section 3.2.6.2.
    assert [order("P1Y", f"P{days}D") for days in (364, 365, 366, 367)] == [1, None, None, -1]
    assert [order("P1M", f"P{days}D") for days in (27, 28, 29, 30, 31, 32)] == [1, None, None, None, None, -1]
    assert [order("P5M", f"P{days}D") for days in (149, 150, 151, 152, 153, 154)] == [1, None, None, None, None, -1]


@given(_durations, _durations, _durations)
def test_the_order_is_one(a: Duration, b: Duration, c: Duration) -> None:
    forward, backward = order_durations(a, b), order_durations(b, a)
    assert (forward is None) == (backward is None)
    assert forward is None or backward is None or forward == -backward
    if order_durations(a, b) == order_durations(b, c) == -1:
        assert order_durations(a, c) == -1
