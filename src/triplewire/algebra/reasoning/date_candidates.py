"""Dates enough to stand for all dates, given the dates that tests compare with.

Each constant cuts the time line at its instant and, for literals that have a zone where it has none or the other way
round, 14 hours before and after it. Between two cuts all tests come out alike. A kind of date reaches only some
instants: a dateTime every 10^-18 s, a date with a zone every minute, without one every midnight. The instants that it
reaches at, next before and next after each cut meet every stretch that has one at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from triplewire.rdf.literals.dates import DAY, HOUR, MINUTE, PLACES, SECOND, Moment, days_before, days_in_month
from triplewire.rdf.literals.values import Kind, value_of
from triplewire.rdf.terms import XSD, Literal

_REACH = 14 * HOUR
_DATE_TIME, _DATE, _YEAR = XSD["dateTime"], XSD["date"], XSD["gYear"]
_ERA = days_before(2000, 1)

KINDS = frozenset({Kind.DATE_TIME, Kind.DATE, Kind.G_YEAR})


def moments(kind: Kind, constants: Iterable[Literal], *, padding: int = 0) -> list[Literal]:
    """Literals of the kind that stand for all of it.

    Where an instant can be written in finitely many ways, all of them are there; else, with `padding`, also one that
    ends in that many zeros.
    """
    cuts = sorted({cut for constant in constants for cut in _cuts(constant, kind)} | {_ERA * DAY})
    return list(dict.fromkeys(literal for cut in cuts for literal in _AROUND[kind](cut, padding)))


def _cuts(constant: Literal, kind: Kind) -> Iterator[int]:
    value = value_of(constant)
    if value.kind is kind and isinstance(value.content, Moment):
        for shift in (-_REACH, 0, _REACH):
            yield value.content.instant + shift


def _date_times(cut: int, padding: int) -> Iterator[Literal]:
    for instant in (cut - HOUR, cut - 1, cut, cut + 1, cut + HOUR):
        text = f"{_date(instant // DAY)}T{_time(instant % DAY)}"
        padded = f"{text}{'' if '.' in text else '.'}{'0' * padding}" if padding else text
        for form in dict.fromkeys((text, padded)):
            yield Literal(form, datatype=_DATE_TIME)
            yield Literal(f"{form}Z", datatype=_DATE_TIME)


def _dates(cut: int, _padding: int) -> Iterator[Literal]:
    for day in range(cut // DAY - 2, cut // DAY + 3):
        for zone in _zones(day * DAY, cut):
            yield Literal(f"{_date(day)}{zone}", datatype=_DATE)


def _years(cut: int, _padding: int) -> Iterator[Literal]:
    middle = _civil(cut // DAY)[0]
    for year in range(middle - 2, middle + 3):
        for zone in _zones(value_of(Literal(f"{_year(year)}Z", datatype=_YEAR)).content.instant, cut):
            yield Literal(f"{_year(year)}{zone}", datatype=_YEAR)


_AROUND = {Kind.DATE_TIME: _date_times, Kind.DATE: _dates, Kind.G_YEAR: _years}


def _zones(start: int, cut: int) -> Iterator[str]:
    """No zone, UTC as it can be written, the outermost zones, and those that bring the start to the cut or near it."""
    yield from ("", "Z", "+00:00", "-00:00")
    minutes = (start - cut) // MINUTE
    for offset in dict.fromkeys((-14 * 60, 14 * 60, *range(minutes - 1, minutes + 3))):
        if offset and abs(offset) <= 14 * 60:
            yield f"{'-' if offset < 0 else '+'}{abs(offset) // 60:02}:{abs(offset) % 60:02}"


def _date(day: int) -> str:
    year, month, date = _civil(day)
    return f"{_year(year)}-{month:02}-{date:02}"


def _year(year: int) -> str:
    return f"{'-' if year < 0 else ''}{abs(year):04}"


def _civil(day: int) -> tuple[int, int, int]:
    """Year, month and day of a day's number; the inverse of `days_before`."""
    year = day * 400 // 146_097 + 1
    while days_before(year, 1) > day:
        year -= 1
    while days_before(year + 1, 1) <= day:
        year += 1
    month = 1
    rest = day - days_before(year, 1)
    while rest >= days_in_month(year, month):
        rest -= days_in_month(year, month)
        month += 1
    return year, month, rest + 1


def _time(instant: int) -> str:
    seconds, fraction = divmod(instant, SECOND)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    digits = f"{fraction:0{PLACES}}".rstrip("0")
    return f"{text}.{digits}" if digits else text
