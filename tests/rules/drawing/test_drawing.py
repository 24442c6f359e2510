"""The triggering graph as SVG and as DOT."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from tests.rules.analysis.library import analysed
from tests.rules.analysis.test_triggering import CHAIN

from triplewire.errors import LimitExceeded
from triplewire.rules.drawing import as_dot, as_svg, svg
from triplewire.rules.drawing.layers import layers

SVG = "{http://www.w3.org/2000/svg}"
BACK = "ON INSERT (_, likes, _) IF True DO INSERT ($delta.target, note, 'again')"


def test_a_rule_stands_above_those_that_it_triggers():
    assert layers(analysed(*CHAIN).graph) == [[0], [1], [2]]


def test_rules_of_a_cycle_stand_side_by_side():
    assert layers(analysed(*CHAIN, BACK).graph) == [[0], [1, 2, 3]]


def test_dot_has_a_vertex_for_each_rule_and_marks_cycles():
    lines = as_dot(analysed(*CHAIN, BACK)).splitlines()
    assert lines[0] == "digraph triggering {"
    assert '  "r1";' in lines
    assert '  "r1" -> "r2";' in lines
    assert '  "r4" -> "r2" [color=red];' in lines
    assert lines[-1] == "}"


def test_svg_names_each_rule_and_explains_each_edge():
    root = ET.fromstring(as_svg(analysed(*CHAIN, BACK)))
    assert {text.text for text in root.iter(f"{SVG}text")} == {"r1", "r2", "r3", "r4"}
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert len(titles) == 4
    assert all(title and "may trigger" in title for title in titles)
    red = [path for path in root.iter(f"{SVG}path") if path.get("marker-end") == "url(#alarm)"]
    assert len(red) == 3


def test_no_two_names_overlap():
    root = ET.fromstring(as_svg(analysed(*CHAIN, BACK, *CHAIN)))
    spots = [
        (float(r.get("x") or 0), float(r.get("y") or 0), float(r.get("width") or 0))
        for r in root.iter(f"{SVG}rect")
        if r.get("x")
    ]
    assert len(spots) == 7
    for number, (x, y, width) in enumerate(spots):
        assert all(oy != y or ox >= x + width or x >= ox + other for ox, oy, other in spots[number + 1 :])


def test_svg_of_no_rules_is_empty_but_sound():
    assert (
        list(
            ET.fromstring(as_svg(analysed("ON DELETE (_, by, _) IF True DO INSERT ($delta, note, 'x')"))).iter(
                f"{SVG}title"
            )
        )
        == []
    )


def test_more_edges_than_anybody_can_follow_are_refused(monkeypatch):
    monkeypatch.setattr(svg, "MOST_EDGES", 3)
    with pytest.raises(LimitExceeded, match="wanted at most 3 edges to draw, found 4; write DOT instead"):
        as_svg(analysed(*CHAIN, BACK))
