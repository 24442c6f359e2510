"""Dates and times: the eight XSD types that name a point or a stretch of time, on one time line.

A literal without a time zone may stand for any zone up to 14 hours away, so it compares with one that has a zone only
where all those zones agree; otherwise there is no answer. They are never equal.
"""

from __future__ import annotations

import re

from msgspec import Struct

# Instants are counted in 10^-18 seconds, so that every fraction Oxigraph holds is a whole number.
PLACES = 18
SECOND: int = 10**PLACES
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
_FOURTEEN_HOURS = 14 * HOUR
RANGE = 2**127

_YEAR = r"(?P<year>-?(?:[1-9][0-9]{3,}|0[0-9]{3}))"
_MONTH = r"(?P<month>[0-9]{2})"
_DAY = r"(?P<day>[0-9]{2})"
_TIME = r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]+))?"
_ZONE = r"(?P<zone>Z|[+-][0-9]{2}:[0-9]{2})?"

PATTERNS = {
    "dateTime": re.compile(f"{_YEAR}-{_MONTH}-{_DAY}T{_TIME}{_ZONE}"),
    "date": re.compile(f"{_YEAR}-{_MONTH}-{_DAY}{_ZONE}"),
    "time": re.compile(f"{_TIME}{_ZONE}"),
    "gYear": re.compile(f"{_YEAR}{_ZONE}"),
    "gYearMonth": re.compile(f"{_YEAR}-{_MONTH}{_ZONE}"),
    "gMonth": re.compile(f"--{_MONTH}{_ZONE}"),
    "gMonthDay": re.compile(f"--{_MONTH}-{_DAY}{_ZONE}"),
    "gDay": re.compile(f"---{_DAY}{_ZONE}"),
}

# What a type leaves open is filled from the first day of a year, in a month that has every day from ---01 to ---31.
# The year is no leap year: to Oxigraph --02-29 is no gMonthDay, though XML Schema says it is.
_FILLING = {"year": "1971", "month": "01", "day": "01", "hour": "00", "minute": "00", "second": "00", "fraction": "0"}


class Moment(Struct, frozen=True, gc=False):
    """A point on the time line, in UTC where the literal has a zone, else in a zone that nobody knows."""

    instant: int
    zoned: bool


def parse_moment(pattern: re.Pattern[str], lexical: str) -> Moment | None:
    """The value of a literal of the type that the pattern is for."""
    match = pattern.fullmatch(lexical)
    if match is None or len(lexical) > 256:
        return None
    found = {name: text for name, text in match.groupdict().items() if text is not None}
    day = _day_of(_FILLING | found)
    time = _time_of(_FILLING | found)
    zone = _zone_of(found.get("zone"))
    if day is None or time is None or zone is None:
        return None
    if "hour" in found and "day" not in found:
        time %= DAY  # as a time of day, 24:00:00 is 00:00:00
    instant = day * DAY + time - zone
    return Moment(instant, "zone" in found) if -RANGE <= instant < RANGE else None


def _day_of(found: dict[str, str]) -> int | None:
    year, month, day = int(found["year"]), int(found["month"]), int(found["day"])
    if not 1 <= month <= 12 or not 1 <= day <= days_in_month(year, month):
        return None
    return days_before(year, month) + day - 1


def _time_of(found: dict[str, str]) -> int | None:
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second"])
    fraction = found["fraction"].rstrip("0")
    if minute > 59 or second > 59 or hour > 24 or len(fraction) > PLACES:
        return None
    if hour == 24 and (minute or second or fraction):
        return None
    return hour * HOUR + minute * MINUTE + second * SECOND + int(fraction.ljust(PLACES, "0"))


def _zone_of(text: str | None) -> int | None:
    if text is None or text == "Z":
        return 0
    hours, minutes = int(text[1:3]), int(text[4:6])
    if minutes > 59 or hours * 60 + minutes > 14 * 60:
        return None
    offset = hours * HOUR + minutes * MINUTE
    return -offset if text[0] == "-" else offset


def days_in_month(year: int, month: int) -> int:
    """In the Gregorian calendar, without end in both directions."""
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def days_before(year: int, month: int) -> int:
    """Days from the beginning of the year 0, a leap year, to the first of a month; negative before that."""
    past = year - 1
    days = past * 365 + past // 4 - past // 100 + past // 400 + 366
    return days + sum(days_in_month(year, earlier) for earlier in range(1, month))


def order_moments(a: Moment, b: Moment) -> int | None:
    """-1, 0 or 1, or None where it depends on a zone that is not given."""
    if a.zoned == b.zoned:
        return (a.instant > b.instant) - (a.instant < b.instant)
    if a.instant < b.instant - _FOURTEEN_HOURS:
        return -1
    if a.instant > b.instant + _FOURTEEN_HOURS:
        return 1
    return None
