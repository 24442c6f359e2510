"""Durations: months and seconds, which have no fixed ratio, so that their order is partial.

One duration is less than another if it is so counted from each of the four dates that XML Schema names, chosen so that
every length of month and of two months occurs.
"""

from __future__ import annotations

import re

from msgspec import Struct

from triplewire.rdf.literals.dates import DAY, HOUR, MINUTE, PLACES, RANGE, SECOND, days_before

# Like Oxigraph, and unlike XML Schema, this takes `PT.5S`, `PT1.S` and `P1DT`.
_DURATION = re.compile(
    r"(?P<sign>-?)P(?:(?P<years>[0-9]+)Y)?(?:(?P<months>[0-9]+)M)?(?:(?P<days>[0-9]+)D)?"
    r"(?:T(?:(?P<hours>[0-9]+)H)?(?:(?P<minutes>[0-9]+)M)?(?:(?P<seconds>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)S)?)?"
)
_STARTS = ((1696, 9), (1697, 2), (1903, 3), (1903, 7))
_MOST_MONTHS = 2**63


class Duration(Struct, frozen=True, gc=False):
    """Whole months, and a time in 10^-18 seconds; both have the same sign."""

    months: int
    time: int


def parse_duration(lexical: str) -> Duration | None:
    """The value of xsd:duration."""
    match = _DURATION.fullmatch(lexical) if len(lexical) <= 256 else None
    if match is None or not any(match.groups()[1:]):
        return None
    years, months, days, hours, minutes = (int(text or 0) for text in match.groups()[1:6])
    seconds = _seconds(match["seconds"] or "0")
    if seconds is None:
        return None
    sign = -1 if match["sign"] else 1
    time = days * DAY + hours * HOUR + minutes * MINUTE + seconds
    return _within_range(Duration(sign * (years * 12 + months), sign * time))


def _seconds(text: str) -> int | None:
    whole, _, fraction = text.partition(".")
    fraction = fraction.rstrip("0")
    return int(whole or 0) * SECOND + int(fraction.ljust(PLACES, "0")) if len(fraction) <= PLACES else None


def _within_range(duration: Duration) -> Duration | None:
    fits = -_MOST_MONTHS <= duration.months < _MOST_MONTHS and -RANGE <= duration.time < RANGE
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


def _order_from(start: tuple[int, int], a: Duration, b: Duration) -> int | None:
    x, y = _end(start, a), _end(start, b)
    # A date beyond all dates compares with nothing.
    return (x > y) - (x < y) if -RANGE <= x < RANGE and -RANGE <= y < RANGE else None


def _end(start: tuple[int, int], duration: Duration) -> int:
    year, month = divmod(start[0] * 12 + start[1] - 1 + duration.months, 12)
    return days_before(year, month + 1) * DAY + duration.time
