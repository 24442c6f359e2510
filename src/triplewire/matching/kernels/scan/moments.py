"""Dates and times of day on one line: seconds from the beginning of the year 0, as `rdf.literals.dates` counts them.

Only the plain shapes are read: a year of four digits, whole seconds, and `Z` or `+hh:mm` as the zone. Anything else
that may still be a date is left to exact evaluation.
"""

from __future__ import annotations

from triplewire.matching.kernels.columns import MOMENT, NOT_A_NUMBER, ZONED
from triplewire.matching.kernels.machine import Bytes, byte_at, inner, kernel
from triplewire.matching.kernels.scan.datatypes import DATE

_DAY = 86_400
_DATE_LENGTH = 10
_DATE_TIME_LENGTH = 19
_ZONE_LENGTH = 6
_LATEST_ZONE = 14 * 60

_ZERO, _DASH, _COLON, _PLUS, _LETTER_T, _LETTER_Z = 0x30, 0x2D, 0x3A, 0x2B, 0x54, 0x5A


@kernel
def read_moment(buffer: Bytes, start: int, end: int, code: int) -> tuple[int, float]:
    """The state and the seconds of a lexical form of xsd:date or xsd:dateTime; NOT_A_NUMBER where it is not plain."""
    length = _DATE_LENGTH if code == DATE else _DATE_TIME_LENGTH
    if end - start < length:
        return NOT_A_NUMBER, 0.0
    day = _day(buffer, start)
    time = 0 if code == DATE else _time(buffer, start + _DATE_LENGTH)
    zone = _zone(buffer, start + length, end)
    if day < 0 or time < 0 or zone == _NO_ZONE:
        return NOT_A_NUMBER, 0.0
    state = MOMENT if end == start + length else ZONED
    return state, float(day * _DAY + time - 60 * zone)


_NO_ZONE = 10_000


@inner
def _two(buffer: Bytes, at: int) -> int:
    """Two digits, or a number so low that no sum of them is valid."""
    tens, ones = byte_at(buffer, at) - _ZERO, byte_at(buffer, at + 1) - _ZERO
    return 10 * tens + ones if 0 <= tens <= 9 and 0 <= ones <= 9 else -1_000_000


@inner
def _day(buffer: Bytes, at: int) -> int:
    """The day that `YYYY-MM-DD` names, or -1."""
    year = 100 * _two(buffer, at) + _two(buffer, at + 2)
    month, day = _two(buffer, at + 5), _two(buffer, at + 8)
    dashes = byte_at(buffer, at + 4) == _DASH and byte_at(buffer, at + 7) == _DASH
    if not dashes or year < 1 or not 1 <= month <= 12 or not 1 <= day <= _days_in_month(year, month):
        return -1
    past = year - 1
    days = past * 365 + past // 4 - past // 100 + past // 400 + 366
    for earlier in range(1, month):
        days += _days_in_month(year, earlier)
    return days + day - 1


@inner
def _days_in_month(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


@inner
def _time(buffer: Bytes, at: int) -> int:
    """The seconds that `Thh:mm:ss` names, or -1. What is special about 24:00:00 is left to exact evaluation."""
    hour, minute, second = _two(buffer, at + 1), _two(buffer, at + 4), _two(buffer, at + 7)
    signs = byte_at(buffer, at) == _LETTER_T and byte_at(buffer, at + 3) == _COLON and byte_at(buffer, at + 6) == _COLON
    if not signs or not 0 <= hour <= 23 or not 0 <= minute <= 59 or not 0 <= second <= 59:
        return -1
    return 3600 * hour + 60 * minute + second


@inner
def _zone(buffer: Bytes, at: int, end: int) -> int:
    """The minutes east of Greenwich; 0 without a zone, _NO_ZONE where something else stands there."""
    if at == end or (end - at == 1 and byte_at(buffer, at) == _LETTER_Z):
        return 0
    sign = byte_at(buffer, at)
    if end - at != _ZONE_LENGTH or byte_at(buffer, at + 3) != _COLON or (sign != _PLUS and sign != _DASH):
        return _NO_ZONE
    hours, minutes = _two(buffer, at + 1), _two(buffer, at + 4)
    if hours < 0 or not 0 <= minutes <= 59 or 60 * hours + minutes > _LATEST_ZONE:
        return _NO_ZONE
    return 60 * hours + minutes if sign == _PLUS else -60 * hours - minutes
