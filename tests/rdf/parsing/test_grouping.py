from __future__ import annotations

from collections.abc import Iterator

import pytest

from triplewire.errors import LimitExceeded
from triplewire.rdf.formats import NQUADS, TURTLE
from triplewire.rdf.limits import DEFAULT_LIMITS, Limits
from triplewire.rdf.parsing.event_grouping import Contents, group_by_graph
from triplewire.rdf.terms import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

S, P, G = NamedNode("urn:s"), NamedNode("urn:p"), NamedNode("urn:g")


def test_a_triple_that_repeats_counts_once() -> None:
    contents = Contents(Limits(quads=1), None)
    for _ in range(3):
        contents.add(Triple(S, P, Literal("a")))
    assert list(contents.lines) == ['<urn:s> <urn:p> "a"']


def test_reading_stops_at_the_quad_that_is_too_many() -> None:
    taken = []

    def endless() -> Iterator[Quad]:
        while True:
            taken.append(Quad(S, P, Literal(str(len(taken))), G))
            yield taken[-1]

    with pytest.raises(LimitExceeded):
        group_by_graph(endless(), NQUADS, None, Limits(quads=5), "message")
    assert len(taken) == 6


def test_a_name_still_to_be_minted_is_none() -> None:
    quads = [Quad(S, P, S, DefaultGraph()), Quad(S, P, S, G)]
    assert list(group_by_graph(quads, NQUADS, None, DEFAULT_LIMITS, None)) == [None, G]


def test_blank_nodes_are_relabelled_unless_the_format_keeps_labels() -> None:
    quads = [Quad(BlankNode("x"), P, S, G)]
    assert list(group_by_graph(quads, NQUADS, None, DEFAULT_LIMITS, None)[G].lines) == ["_:x <urn:p> <urn:s>"]
    assert list(group_by_graph(quads, TURTLE, None, DEFAULT_LIMITS, None)[G].lines) == ["_:b0 <urn:p> <urn:s>"]
