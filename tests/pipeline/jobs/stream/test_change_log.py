"""The changes of a living graph as a log, and through a stream into a lake."""

from __future__ import annotations

import pytest
from tests.pipeline.samples import notified, rows_of, write_rows

from triplewire.pipeline.jobs.stream import ChangeLog, NodeLog, StreamRequest, stream
from triplewire.rdf.events import Event
from triplewire.testing.workloads import Row
from triplewire.wire.answers import ChangePage, ChangeView

CHANGES = (
    ChangeView(1, 1_000.5, ("<urn:a> <urn:p> <urn:b>", "<urn:a> <urn:p> _:x <urn:g>"), ()),
    ChangeView(2, 1_001.0, (), ()),
    ChangeView(3, 1_002.0, ("<urn:a> <urn:p> <urn:c>",), ("<urn:a> <urn:p> <urn:b>",)),
)


class FakeNode:
    """A node that gives two changes an answer; what is before `floor` is gone."""

    url = "http://127.0.0.1:1"

    def __init__(self, changes=CHANGES, floor: int = 0) -> None:
        self.kept, self.floor = changes, floor

    def node_id(self) -> str:
        return "n1"

    def changes(self, after: int, limit: int) -> ChangePage:
        gap = self.floor if after < self.floor else None
        found = [change for change in self.kept if change.position > max(after, self.floor)][: min(limit, 2)]
        end = found[-1].position if found else max(after, self.floor)
        return ChangePage(tuple(found), end, self.kept[-1].position, gap)


def events_in(nquads: bytes) -> list[set[str]]:
    """The triples of each event, its own name left out."""
    return [
        {str(triple).replace(str(event.graph), "<event>") for triple in event.triples} for event in Event.parse(nquads)
    ]


def test_a_page_has_what_was_deleted_and_what_was_inserted_by_graph():
    log = ChangeLog(FakeNode())
    first = log.read_log(0, 1_000)
    assert (first.position, first.is_last, first.gap) == (2, False, None)
    default, named = events_in(first.nquads)
    kind = "<event> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:triplewire:Inserted>"
    assert default == {kind, "<urn:a> <urn:p> <urn:b>"}
    assert "<event> <urn:triplewire:graph> <urn:g>" in named
    last = log.read_log(2, 1_000)
    kinds = [next(text for text in triples if "type>" in text).rsplit(":", 1)[1] for triples in events_in(last.nquads)]
    assert (kinds, last.is_last) == (["Deleted>", "Inserted>"], True)


def test_a_change_gives_the_same_events_each_time_and_another_position_others():
    log = ChangeLog(FakeNode())
    assert log.read_log(0, 10) == log.read_log(0, 10)
    again = ChangeLog(FakeNode((CHANGES[0], ChangeView(2, 1_000.5, CHANGES[0].added, ()))))
    names = [event.graph for event in Event.parse(again.read_log(0, 10).nquads)]
    assert len(set(names)) == len(names) == 4


def test_what_retention_has_removed_is_a_gap():
    assert ChangeLog(FakeNode(floor=2)).read_log(0, 10).gap == 2


@pytest.mark.xdist_group("spark")
def test_a_stream_takes_each_change_once_and_goes_on(spark, tmp_path):
    write_rows(tmp_path / "s.jsonl", [Row("new", "sparql", "ASK { ?e a <urn:triplewire:Inserted> . ?s <urn:p> ?o }")])
    node = FakeNode(CHANGES[:2])

    def run() -> int:
        source = NodeLog(ChangeLog(node), path="/changes")
        files = {"subscriptions": (str(tmp_path / "s.jsonl"),), "out": str(tmp_path / "lake")}
        return stream(spark, StreamRequest(source=source, drain=True, **files)).events

    assert run() == 2
    node.kept = CHANGES
    assert (run(), run()) == (2, 0)
    lake = tmp_path / "lake"
    assert len(notified(lake)) == 3
    assert {source for (source,) in rows_of(lake, "events", "source")} == {node.url}
    inputs = [name for (names,) in rows_of(lake, "runs", "inputs") for name in names]
    assert inputs == [f"{node.url}/changes?after=0&until=2", f"{node.url}/changes?after=2&until=3"]


@pytest.mark.xdist_group("spark")
def test_changes_are_another_source_than_events(spark, tmp_path):
    assert NodeLog(ChangeLog(FakeNode())).identity(spark) != "node n1"
