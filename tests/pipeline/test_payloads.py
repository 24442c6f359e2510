"""A column of payloads, row by row the same as event by event."""

from __future__ import annotations

import pyarrow as pa

from triplewire import Matcher, Subscription
from triplewire.pipeline.payloads import joined, match_payloads

LINE = b"<urn:s> <urn:p> <urn:o%d> <urn:e%d> .\n"


def matcher() -> Matcher:
    made = Matcher()
    made.add(Subscription.parse("SELECT ?o { <urn:s> <urn:p> ?o }", id="all"))
    return made


def matched(*payloads: bytes | None) -> list[tuple[int, int]]:
    found = match_payloads(matcher(), pa.array(payloads, pa.binary()))
    assert not found.bad, found.bad
    return sorted(zip(found.rows.tolist(), map(len, found.matches["solutions"].to_pylist()), strict=True))


def test_neighbours_with_one_graph_stay_events_of_their_own():
    same = LINE % (1, 1), LINE % (2, 1), LINE % (3, 1)
    assert matched(*same) == [(0, 1), (1, 1), (2, 1)]
    assert matched(LINE % (1, 0), *same, LINE % (1, 2)) == [(0, 1), (1, 1), (2, 1), (3, 1), (4, 1)]


def test_a_row_may_lack_its_last_line_feed():
    assert matched(LINE % (1, 1), (LINE % (1, 2)).rstrip(), LINE % (1, 3) + LINE % (2, 3)) == [(0, 1), (1, 1), (2, 2)]


def test_a_slice_of_a_column_is_that_slice():
    column = pa.array([LINE % (1, number) for number in range(9)], pa.binary()).slice(3, 4)
    found = match_payloads(matcher(), column)
    assert found.matches["event"].to_pylist() == [f"urn:e{number}" for number in range(3, 7)]
    assert found.rows.tolist() == [0, 1, 2, 3]


def test_rows_without_a_sound_event_are_told_by_number_and_line():
    rows = [LINE % (1, 1), LINE % (1, 2) + b"nonsense\n", None, b"", LINE % (1, 3)]
    found = match_payloads(matcher(), pa.array(rows, pa.binary()))
    assert {(bad.row, bad.line) for bad in found.bad} >= {(1, 2), (2, 1), (3, 1)}
    assert {0, 4} <= set(found.rows.tolist())


def test_lines_are_counted_from_one():
    text, starts = joined(pa.array([b"a\nb\n", b"c", b"", b"d\n"], pa.binary()))
    lines = text.split(b"\n")
    assert [lines[start - 1] for start in starts.tolist()][:2] == [b"a", b"c"]
