"""An event's time from one of its properties: exact, the earliest of several, and its file's where there is none."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triplewire.errors import InputError
from triplewire.matching.scanning.scanner import scan
from triplewire.pipeline.sources.event_times import event_times
from triplewire.pipeline.sources.options import ReadOptions

FILE = datetime(2020, 2, 3, 4, 5, 6, 789_000, tzinfo=UTC)
XSD = "http://www.w3.org/2001/XMLSchema#"
ISSUED = "urn:issued"


def times(lines: list[str], predicate: str | None = ISSUED) -> list[datetime]:
    data = "".join(f"{line}\n" for line in lines).encode()
    return event_times(scan(data), predicate, FILE).to_pylist()


def quad(value: str, kind: str = "dateTime", event: str = "urn:e", predicate: str = ISSUED) -> str:
    return f'<urn:s> <{predicate}> "{value}"^^<{XSD}{kind}> <{event}> .'


@pytest.mark.parametrize(
    ("value", "kind", "time"),
    [
        ("2024-05-01T12:30:00Z", "dateTime", datetime(2024, 5, 1, 12, 30, tzinfo=UTC)),
        ("2024-05-01T12:30:00", "dateTime", datetime(2024, 5, 1, 12, 30, tzinfo=UTC)),
        ("2024-05-01T12:30:00+02:00", "dateTime", datetime(2024, 5, 1, 10, 30, tzinfo=UTC)),
        ("2024-05-01T12:30:00.123456Z", "dateTime", datetime(2024, 5, 1, 12, 30, 0, 123_456, tzinfo=UTC)),
        ("1969-12-31T23:59:59.5Z", "dateTime", datetime(1969, 12, 31, 23, 59, 59, 500_000, tzinfo=UTC)),
        ("2024-05-01", "date", datetime(2024, 5, 1, tzinfo=UTC)),
        ("2024-05", "gYearMonth", datetime(2024, 5, 1, tzinfo=UTC)),
        ("2024", "gYear", datetime(2024, 1, 1, tzinfo=UTC)),
        ("0001-01-01T00:00:00Z", "dateTime", datetime(1, 1, 1, tzinfo=UTC)),
        # None of these is a moment that a table can hold.
        ("0001-01-01T00:00:00+14:00", "dateTime", FILE),
        ("99999-01-01T00:00:00Z", "dateTime", FILE),
        ("-0044-03-15", "date", FILE),
        ("2024-02-30", "date", FILE),
        ("12:30:00", "time", FILE),
        ("2024", "integer", FILE),
        ("soon", "string", FILE),
    ],
)
def test_a_value(value: str, kind: str, time: datetime):
    assert times([quad(value, kind)]) == [time]


@given(st.datetimes(timezones=st.just(UTC)))
def test_any_moment_that_python_can_write(time: datetime):
    assert times([quad(time.isoformat())]) == [time]


def test_each_event_has_its_own_and_the_earliest_of_several():
    lines = [quad("2024-01-02", "date"), quad("2024-01-01", "date")]
    lines += [quad("1999-01-01", "date", "urn:other", "urn:changed"), '<urn:s> <urn:issued> "2024" <urn:plain> .']
    assert times(lines) == [datetime(2024, 1, 1, tzinfo=UTC), FILE, FILE]
    assert times(lines, None) == [FILE] * 3


def test_a_broken_event_is_counted_as_well():
    found = times(["broken", quad("2024-01-01", "date", "urn:after")])
    assert found[-1] == datetime(2024, 1, 1, tzinfo=UTC)


def test_what_is_no_iri_is_refused():
    with pytest.raises(InputError, match="the event time wants the IRI of a property, found 'no iri'"):
        ReadOptions(event_time="no iri")
