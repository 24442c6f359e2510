"""The tree of a schedule, in words and drawn, from what a node keeps of it."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from triplewire.cli.rules.transaction_tree import MOST_UNITS, as_dot, as_svg, lines
from triplewire.errors import LimitExceeded
from triplewire.wire.schedules import TracedSchedule, TracedUnit

SVG = "{http://www.w3.org/2000/svg}"
FIGURE_4 = TracedSchedule(
    7,
    0.0,
    (
        TracedUnit(number=1, transaction="t0", status="committed", inserted=1),
        TracedUnit(
            number=2, transaction="t0", rule="t1", cause=1, depth=1, coupling="IMMEDIATE", abort="INDEPENDENT",
            delta={"delta": "<urn:a>"}, status="aborted", error="no", inserted=2, deleted=1,
        ),
        TracedUnit(
            number=3, transaction="#3", rule="t7", cause=1, depth=1, coupling="DETACHED", abort="PARENTCHILD",
            status="committed", deleted=2,
        ),
        TracedUnit(
            number=4, transaction="t0", rule='t"6<&', cause=2, depth=2, coupling="DEFERRED", abort="MUTUAL",
            status="aborted", error="no",
        ),
        TracedUnit(number=5, transaction="t8", status="aborted", error="it breaks a clause"),
    ),
)  # fmt: skip


def test_each_firing_stands_below_its_cause() -> None:
    assert list(lines(FIGURE_4)) == [
        "transaction t0: committed, 1 triple more, 0 fewer",
        "  rule t1, IMMEDIATE, INDEPENDENT for <urn:a>: undone: no",
        '    rule t"6<&, DEFERRED, MUTUAL: undone: no',
        "  rule t7, DETACHED, PARENTCHILD: committed, 0 triples more, 2 fewer",
        "transaction t8: undone: it breaks a clause",
    ]


def test_dot_has_an_edge_from_each_cause_with_arrows_where_one_aborts_with_the_other() -> None:
    text = as_dot(FIGURE_4)
    assert '  4 [label="t\\"6<&" tooltip="undone: no" color=red];' in text
    assert '  1 -> 2 [label="INDEPENDENT" dir=both arrowhead=none arrowtail=none];' in text
    assert '  1 -> 3 [label="PARENTCHILD" dir=both arrowhead=normal arrowtail=none];' in text
    assert '  2 -> 4 [label="MUTUAL" dir=both arrowhead=normal arrowtail=normal];' in text
    assert text.count("->") == 3


def test_svg_has_a_box_for_each_unit_apart_from_the_others() -> None:
    drawing = ElementTree.fromstring(as_svg(FIGURE_4))
    boxes = [each for each in drawing.iter(f"{SVG}rect") if each.get("rx")]
    assert len(boxes) == 5
    assert [each.get("stroke") for each in boxes].count("#d1495b") == 3
    placed = sorted((float(b.get("y") or 0), float(b.get("x") or 0), float(b.get("width") or 0)) for b in boxes)
    for (y, x, width), (next_y, next_x, _) in pairwise(placed):
        assert y < next_y or x + width <= next_x
    titles = [each.text for each in drawing.iter(f"{SVG}title")]
    assert 'rule t"6<&, DEFERRED, MUTUAL: undone: no' in titles
    marked = re.findall(r"marker-(?:start|end)", as_svg(FIGURE_4))
    assert marked.count("marker-end") == 2
    assert marked.count("marker-start") == 1


def test_a_long_chain_is_drawn_and_too_many_units_are_refused() -> None:
    chain = tuple(
        TracedUnit(number=n, transaction="t", rule=None if n == 1 else "r", cause=n - 1 or None, status="committed")
        for n in range(1, 2001)
    )
    assert as_svg(TracedSchedule(1, 0.0, chain)).count("<rect") == 2001
    assert len(list(lines(TracedSchedule(1, 0.0, chain)))) == 2000
    many = tuple(TracedUnit(number=n, transaction=str(n), status="committed") for n in range(1, MOST_UNITS + 2))
    with pytest.raises(LimitExceeded, match="DOT"):
        as_svg(TracedSchedule(1, 0.0, many))


def test_nothing_is_a_picture_too() -> None:
    assert list(lines(TracedSchedule(1, 0.0, ()))) == []
    assert ElementTree.fromstring(as_svg(TracedSchedule(1, 0.0, ()))).get("width") == "30"
