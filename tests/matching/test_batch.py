"""MatchBatch: columns first, objects on demand, both in the same order of events and of adding."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.matching.segments.living import early

from triplewire.algebra.subscriptions import Subscription
from triplewire.matching import Matcher
from triplewire.matching.batch import MatchBatch
from triplewire.rdf.terms import Literal, NamedNode

DATA = b"""<urn:a> <urn:p> "one" <urn:e0> .
<urn:a> <urn:p> "two"@en <urn:e0> .
<urn:b> <urn:p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> <urn:e1> .
<urn:b> <urn:q> "say \\"hi\\"\\n" <urn:e2> .
<urn:b> <urn:p> <urn:e3> .
<urn:b> <urn:p> "three" <urn:e4> .
"""
TEXTS = {
    "z": "SELECT ?o ?s { ?s <urn:p> ?o }",
    "general": "SELECT ?o { ?s <urn:p> ?o OPTIONAL { ?o <urn:q> ?x } }",
    "a": "ASK { ?s <urn:p> 'one' }",
    "quoted": "SELECT ?o { ?s <urn:q> ?o }",
    "made": "CONSTRUCT { ?s <urn:made> ?o } { ?s <urn:p> ?o FILTER(?o = 1) }",
}
WANTED = [
    (0, "z"),
    (0, "general"),
    (0, "a"),
    (1, "z"),
    (1, "general"),
    (1, "made"),
    (2, "quoted"),
    (4, "z"),
    (4, "general"),
]


@pytest.fixture(params=[Matcher, early], ids=["one segment", "many segments"])
def batch(request: pytest.FixtureRequest) -> MatchBatch:
    matcher = request.param()
    for name, text in TEXTS.items():
        matcher.add(Subscription.parse(text, id=name))
        if request.param is early:
            matcher.match_nquads(b"")
    return matcher.match_nquads(DATA)


def test_its_length_is_the_number_of_pairs(batch: MatchBatch) -> None:
    assert len(batch) == len(WANTED)
    assert batch.events == 5


def test_columns(batch: MatchBatch) -> None:
    pairs = zip(batch.event_indices.tolist(), batch.subscription_ids, strict=True)
    assert sorted(pairs) == sorted(WANTED)


def test_matches_come_by_event_and_then_in_the_order_of_adding(batch: MatchBatch) -> None:
    found = [(int(match.event.graph.value[-1]), match.subscription_id) for match in batch]
    assert found == WANTED
    assert [match.subscription_id for match in batch] == [name for _, name in WANTED], "iterating again"


def test_solutions(batch: MatchBatch) -> None:
    by_name = {(match.event.graph.value, match.subscription_id): match for match in batch}
    values = [(s["s"], s["o"]) for s in by_name["urn:e0", "z"].solutions]
    assert sorted(values, key=str) == [
        (NamedNode("urn:a"), Literal("one")),
        (NamedNode("urn:a"), Literal("two", language="en")),
    ]
    assert list(by_name["urn:e0", "z"].solutions[0]) == ["o", "s"], "in the order of the projection"
    assert by_name["urn:e0", "a"].solutions == [{}]
    assert by_name["urn:e2", "quoted"].solutions == [{"o": Literal('say "hi"\n')}]
    [made] = by_name["urn:e1", "made"].construct
    assert (made.predicate, made.object.value) == (NamedNode("urn:made"), "1")
    assert {match.lane for match in batch} == {"fast", "general"}


def test_events_on_demand(batch: MatchBatch) -> None:
    assert batch.event(1).nquads == DATA.splitlines(keepends=True)[2]


def test_arrow(batch: MatchBatch) -> None:
    table = batch.to_arrow()
    assert table.schema == pa.schema(
        [
            ("event_index", pa.int64()),
            ("event", pa.string()),
            ("subscription", pa.string()),
            ("solutions", pa.list_(pa.map_(pa.string(), pa.string()))),
            ("lane", pa.string()),
        ]
    )
    rows = table.to_pylist()
    assert [(row["event_index"], row["subscription"]) for row in rows] == WANTED
    assert [row["event"] for row in rows] == [f"urn:e{place}" for place, _ in WANTED]
    assert [row["lane"] for row in rows] == ["general" if name == "general" else "fast" for _, name in WANTED]
    assert rows[2]["solutions"] == [[]]
    assert rows[6]["solutions"] == [[("o", '"say \\"hi\\"\\n"')]]
    assert sorted(map(sorted, rows[0]["solutions"])) == [
        [("o", '"one"'), ("s", "<urn:a>")],
        [("o", '"two"@en'), ("s", "<urn:a>")],
    ]


def test_nothing_matches() -> None:
    batch = Matcher().match_nquads(DATA)
    assert len(batch) == 0
    assert list(batch) == []
    assert batch.to_arrow().num_rows == 0
    assert batch.to_arrow().schema.names[0] == "event_index"
    assert len(Matcher().match_nquads(b"")) == 0


def test_errors_name_line_column_and_event(batch: MatchBatch) -> None:
    [error] = batch.errors
    assert (error.line, error.event) == (5, 3)
    assert "wanted a graph IRI" in error.message


def test_a_memoryview_will_do() -> None:
    matcher = Matcher()
    matcher.add(Subscription.parse(TEXTS["z"], id="z"))
    assert len(matcher.match_nquads(memoryview(DATA))) == 3
