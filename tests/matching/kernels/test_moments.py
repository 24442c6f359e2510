"""Dates in the kernel, against `rdf.literals.dates`: what it reads, it reads the same, and plain dates it does read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from triplewire import Event, Matcher, Subscription
from triplewire.matching.kernels.columns import MOMENT, NOT_A_NUMBER, ZONED
from triplewire.matching.kernels.scan.datatypes import DATE, DATE_TIME
from triplewire.matching.kernels.scan.moments import read_moment
from triplewire.rdf.literals.dates import SECOND, Moment
from triplewire.rdf.literals.values import value_of
from triplewire.rdf.terms import XSD, Literal

CODES = {"date": DATE, "dateTime": DATE_TIME}
ZONES = st.sampled_from(["", "Z", "+00:00", "+05:30", "-14:00", "+14:01", "+5:30", "z", "+05:60"])


def read(lexical: str, datatype: str) -> tuple[int, float]:
    buffer = np.frombuffer(lexical.encode() + b'"' + b" " * 8, np.uint8)
    return read_moment(buffer, 0, len(lexical.encode()), CODES[datatype])


def check(lexical: str, datatype: str) -> None:
    state, seconds = read(lexical, datatype)
    value = value_of(Literal(lexical, datatype=XSD[datatype])).content
    if state != NOT_A_NUMBER:
        assert isinstance(value, Moment)
        assert (value.instant, value.zoned) == (int(seconds) * SECOND, state == ZONED)


@given(st.integers(0, 9999), st.integers(0, 13), st.integers(0, 32), ZONES)
def test_a_date_is_what_it_is_elsewhere(year, month, day, zone):
    check(f"{year:04d}-{month:02d}-{day:02d}{zone}", "date")


@given(st.datetimes(), ZONES, st.sampled_from(["", ".5", ".000"]))
def test_a_time_is_what_it_is_elsewhere(moment, zone, fraction):
    check(f"{moment.replace(microsecond=0).isoformat()}{fraction}{zone}", "dateTime")


@given(st.text("0123456789-:TZ+. ", min_size=8, max_size=26), st.sampled_from(["date", "dateTime"]))
def test_what_is_no_date_is_not_taken_for_one(lexical, datatype):
    check(lexical, datatype)


@pytest.mark.parametrize(
    ("lexical", "datatype", "state"),
    [
        ("2004-02-29", "date", MOMENT),
        ("1900-02-29", "date", NOT_A_NUMBER),
        ("2004-02-29Z", "date", ZONED),
        ("2004-02-29T23:59:59-05:00", "dateTime", ZONED),
        ("2004-02-29T24:00:00", "dateTime", NOT_A_NUMBER),
        ("12004-02-29", "date", NOT_A_NUMBER),
    ],
)
def test_plain_dates_are_read_and_the_rest_is_left(lexical, datatype, state):
    assert read(lexical, datatype)[0] == state


def test_the_kernel_decides_plain_dates_by_itself():
    matcher = Matcher()
    query = 'SELECT ?s { ?s <urn:date> ?d FILTER(?d >= "2004-01-01"^^<http://www.w3.org/2001/XMLSchema#date>) }'
    matcher.add(Subscription.parse(query, id="recent"))
    line = '<urn:s> <urn:date> "%s"^^<http://www.w3.org/2001/XMLSchema#date> <urn:e> .'
    for lexical, wanted in [("2003-12-31", 0), ("2004-01-01", 1), ("2004-01-01-05:00", 0), ("2005-01-01Z", 1)]:
        [event] = Event.parse(line % lexical)
        assert len(matcher.match(event)) == wanted, lexical
