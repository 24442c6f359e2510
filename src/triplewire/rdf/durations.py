"""Durations: months and seconds, which have no fixed ratio, so that their order is partial.

One duration is less than another if it is so counted from each of the four dates that XML Schema names, chosen so that
every length of month and of two months occurs.
"""

from __future__ import annotations

import re

from msgspec import Struct

from triplewire.rdf.dates import DAY, HOUR, MINUTE, PLACES, SECOND, days_before

_PARTS = (
    r"(?P<sign>-?)P(?=[0-9T])(?:(?P<years>[0-9]+)Y)?(?:(?P<months>[0-9]+)M)?(?:(?P<days>[0-9]+)D)?"
    r"(?:T(?=[0-9])(?:(?P<hours>[0-9]+)H)?(?:(?P<minutes>[0-9]+)M)?(?:(?P<seconds>[0-9]+)(?:\.(?P<fraction>[0-9]+))?S)?)?"
)
_DURATION = re.compile(_PARTS)
_STARTS = ((1696, 9), (1697, 2), (1903, 3), (1903, 7))
_MOST_MONTHS = 2**63
_MOST_TIME = 2**127


class Duration(Struct, frozen=True, gc=False):
    """Whole months, and a time in 10^-18 seconds; both have the same sign."""

    months: int
    time: int


def parse_duration(lexical: str) -> Duration | None:
    """The value of xsd:duration."""
    match = _DURATION.fullmatch(lexical) if len(lexical) <= 256 else None
    if match is None:
        return None
    part = {name: int(match[name] or 0) for name in ("years", "months", "days", "hours", "minutes", "seconds")}
    fraction = (match["fraction"] or "").rstrip("0")
    if len(fraction) > PLACES:
        return None
    sign = -1 if match["sign"] else 1
    months = sign * (part["years"] * 12 + part["months"])
    time = part["days"] * DAY + part["hours"] * HOUR + part["minutes"] * MINUTE + part["seconds"] * SECOND
    return _within_range(Duration(months, sign * (time + int(fraction.ljust(PLACES, "0")))))


def _within_range(duration: Duration) -> Duration | None:
    fits = -_MOST_MONTHS <= duration.months < _MOST_MONTHS and -_MOST_TIME <= duration.time < _MOST_TIME
    return duration if fits else None


def parse_year_month_duration(lexical: str) -> Duration | None:
    """The value of xsd:yearMonthDuration."""
    return parse_duration(lexical) if "D" not in lexical and "T" not in lexical else None


def parse_day_time_duration(lexical: str) -> Duration | None:
    """The value of xsd:dayTimeDuration."""
    return parse_duration(lexical) if "Y" not in lexical and "M" not in lexical.partition("T")[0] else None


def order_durations(a: Duration, b: Duration) -> int | None:
    """-1, 0 or 1, or None where it depends on the month."""
    if a.months == b.months:
        return (a.time > b.time) - (a.time < b.time)
    orders = {_order_from(start, a, b) for start in _STARTS}
    return orders.pop() if len(orders) == 1 else None


def _order_from(start: tuple[int, int], a: Duration, b: Duration) -> int:
    x, y = _end(start, a), _end(start, b)
    return (x > y) - (x < y)


def _end(start: tuple[int, int], duration: Duration) -> int:
    year, month = divmod(start[0] * 12 + start[1] - 1 + duration.months, 12)
    return days_before(year, month + 1) * DAY + duration.time
