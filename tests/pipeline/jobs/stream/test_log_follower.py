"""From the log of a node and through its outbox, against a real process: nothing twice, nothing lost."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator

import httpx
import pytest
from msgspec import Struct
from tests.node.processes import Process, running
from tests.pipeline.jobs.stream.streams import asked
from tests.pipeline.samples import expected, notified, rows_of, write_feed, write_rows

from triplewire.client import Client
from triplewire.errors import InputError, LakeError, NodeUnreachable, PipelineError
from triplewire.pipeline.jobs.compaction import CompactRequest, compact
from triplewire.pipeline.jobs.stream import NodeLog, StopSignal, ToNode, stream
from triplewire.pipeline.jobs.stream.notification_events import name_of, notification_event
from triplewire.testing.workloads import Row

pytestmark = pytest.mark.xdist_group("spark")

QUERY = """PREFIX tw: <urn:triplewire:>
SELECT ?name ?event { ?n a tw:Notification ; tw:subscription ?name ; tw:event ?event ; tw:solutions ?found }"""


@pytest.fixture(scope="module")
def node(tmp_path_factory) -> Iterator[Process]:
    with running(tmp_path_factory.mktemp("node") / "data", "--open") as process:
        yield process


@pytest.fixture
def client(node) -> Iterator[Client]:
    with Client(node.url, timeout=300) as client:
        yield client


class BrokenOff:
    """A client that breaks the driver off after so many requests."""

    def __init__(self, client: Client, requests: int) -> None:
        self._client, self._left = client, requests

    def publish(self, events: bytes) -> object:
        if not self._left:
            raise InputError("broken off")
        self._left -= 1
        return self._client.publish(events)


def delivered(node: Process, start: int) -> list[tuple[str, str]]:
    """The notifications that wait in the node's outbox for somebody who subscribed to them from a position on."""
    path = f"/subscriptions/after-{start}"
    with httpx.Client(base_url=node.url, timeout=300, trust_env=False) as http:
        query = {"Content-Type": "application/sparql-query"}
        assert http.put(path, params={"start": start}, content=QUERY, headers=query).status_code == 201
        found, after = [], 0
        while after is not None:
            page = http.get(f"{path}/notifications", params={"after": after, "limit": 1_000}).json()
            found += page["notifications"]
            after = page["next"]
    return [tuple(one["solutions"][0][name]["value"] for name in ("name", "event")) for one in found]


def end_of(client: Client) -> int:
    position = 0
    while not (page := client.read_log(position)).is_last:
        position = page.position
    return page.position


def test_a_stream_goes_on_after_the_last_event_and_delivers_through_the_outbox(spark, node, client, tmp_path):
    feed, lake = tmp_path / "feed", tmp_path / "lake"
    write_feed(feed, events=60, files=3)
    files = sorted((feed / "events").glob("*.nq"))
    with (feed / "subscriptions.jsonl").open("a") as subscriptions:
        subscriptions.write('{"id": "every", "language": "sparql", "text": "ASK { ?s ?p ?o }"}\n')
    # The last request goes away: nothing of what it would have told may be lost.
    request = {"source": NodeLog(client, 15), "sinks": (ToNode(BrokenOff(client, 1)),)}
    begin = end_of(client)
    for path in files[:2]:
        client.publish(path.read_bytes())
    with pytest.raises(InputError, match="broken off"):
        stream(spark, asked(feed, lake, **request))
    client.publish(files[2].read_bytes())
    whole = {"source": NodeLog(client, 500), "sinks": (ToNode(client),)}
    # What the stream itself publishes is in the log, too: it must not set off more of it.
    stream(spark, asked(feed, lake, **whole))
    assert stream(spark, asked(feed, lake, **whole)).events == 0
    wanted = sorted(expected(feed))
    events = [name for (name,) in rows_of(lake, "events", "event")]
    assert len(events) == len(set(events))
    assert set(events) == {
        line.rsplit(b"<", 1)[1].split(b">")[0].decode() for path in files for line in path.read_bytes().splitlines()
    }
    assert notified(lake) == wanted
    assert sorted(delivered(node, begin)) == wanted
    batches = rows_of(lake, "runs", "batch")
    assert batches == [(number,) for number in range(len(batches))]


def test_changes_of_the_living_graph_are_a_source(spark, node, client, tmp_path):
    """As the events that tell what was added to a graph and what was removed, each of them once."""
    told_of = "SELECT ?title {{ ?event a <urn:triplewire:{}> . ?s <urn:title> ?title }}"
    rows = [Row(name, "sparql", told_of.format(name)) for name in ("Inserted", "Deleted")]
    write_rows(tmp_path / "subscriptions.jsonl", rows)
    request = asked(tmp_path, tmp_path / "lake", source=NodeLog(client), taxonomy=None)
    stream(spark, request)
    client.update('INSERT DATA { <urn:1> <urn:title> "Faust" GRAPH <urn:g> { <urn:2> <urn:title> "Emma" } }')
    assert stream(spark, request).events == 2
    client.update('DELETE { ?s ?p ?o } INSERT { ?s ?p "Faust, Part One" } WHERE { ?s ?p ?o FILTER(?o = "Faust") }')
    client.delete_graph("urn:g")
    client.update("DELETE DATA { <urn:1> <urn:title> 'not there' }")
    assert stream(spark, request).events == 3, "what changes nothing is no event"
    told = [
        (name, dict(solution)["title"])
        for name, solutions in rows_of(tmp_path / "lake", "notifications", "subscription, solutions")
        for solution in solutions
    ]
    inserted = [("Inserted", '"Emma"'), ("Inserted", '"Faust"'), ("Inserted", '"Faust, Part One"')]
    assert sorted(told) == [("Deleted", '"Emma"'), ("Deleted", '"Faust"'), *inserted]


def test_a_commit_that_was_delivered_in_part_is_delivered_again_even_after_compaction(spark, node, client, tmp_path):
    feed, lake = tmp_path / "feed", tmp_path / "lake"
    write_feed(feed, events=30, files=1, seed=8)
    write_rows(feed / "subscriptions.jsonl", [Row("compacted", "sparql", "ASK { ?s ?p ?o }")])
    begin = end_of(client)
    with pytest.raises(InputError, match="broken off"):
        stream(spark, asked(feed, lake, sinks=(ToNode(BrokenOff(client, 0)),)))
    compact(spark, CompactRequest(lake=str(lake)))
    wanted = sorted(expected(feed))
    assert stream(spark, asked(feed, lake, sinks=(ToNode(client),))).delivered == len(wanted)
    assert sorted(delivered(node, begin)) == wanted
    assert end_of(client) == begin + len(wanted)


@pytest.mark.slow  # it starts a node of its own, twice
def test_a_node_that_restarts_does_not_end_a_stream(spark, tmp_path):
    feed = tmp_path / "feed"
    write_feed(feed, events=10, files=1)
    with running(tmp_path / "data", "--open") as node, Client(node.url, timeout=300) as client:

        class Restarting:
            """Loses its node before the first page."""

            url = node.url
            pages = 0

            def node_id(self) -> str:
                return client.node_id()

            def read_log(self, after: int, limit: int):
                self.pages += 1
                if self.pages == 1:
                    node.stop(signal.SIGKILL)
                if self.pages == 2:
                    node.start()
                return client.read_log(after, limit)

        client.publish((feed / "events" / "0.nq").read_bytes())
        log = Restarting()
        assert stream(spark, asked(feed, tmp_path / "lake", source=NodeLog(log))).events == 10
        assert log.pages == 2


class Page(Struct):
    nquads: bytes
    position: int
    gap: int | None = None
    is_last: bool = True


class Scripted:
    """A log that gives pages from a list, then the last for ever."""

    url = "http://log"

    def __init__(self, *pages: Page, node: str = "n") -> None:
        self._pages, self._node = list(pages), node

    def node_id(self) -> str:
        return self._node

    def read_log(self, after: int, limit: int) -> Page:
        return self._pages.pop(0) if len(self._pages) > 1 else self._pages[0]


def test_what_retention_removed_is_a_reject_and_a_log_that_shrank_is_refused(spark, tmp_path):
    write_rows(tmp_path / "subscriptions.jsonl", [Row("every", "sparql", "ASK { ?s ?p ?o }")])
    line = b"<urn:s> <urn:p> <urn:o> <urn:e> .\n"

    def run(log: Scripted, **others):
        return stream(spark, asked(tmp_path, tmp_path / "lake", source=NodeLog(log), taxonomy=None, **others))

    assert run(Scripted(Page(line, 8, gap=7))).rejects == 1
    [(file, reason)] = rows_of(tmp_path / "lake", "rejects", "file, reason")
    assert (file, reason.endswith("from position 1 to 7")) == ("http://log", True)
    assert run(Scripted(Page(b"", 8))).batches == 0
    assert run(Scripted(Page(b"", 9))).events == 0
    with pytest.raises(PipelineError, match="wanted a log that goes on after 9, found one that ends at 3"):
        run(Scripted(Page(b"", 3)))
    with pytest.raises(LakeError, match="wanted the source that the stream stream reads, node n, found node other"):
        run(Scripted(Page(b"", 9), node="other"))
    with pytest.raises(PipelineError, match="wanted sound input only"):
        run(Scripted(Page(line, 30, gap=20)), strict=True)


def test_f10_a_stream_whose_journal_was_removed_goes_on_where_the_lake_ends(spark, tmp_path):
    write_rows(tmp_path / "subscriptions.jsonl", [Row("every", "sparql", "ASK { ?s ?p ?o }")])
    asked_for: list[int] = []

    class Log(Scripted):
        def read_log(self, after: int, limit: int) -> Page:
            asked_for.append(after)
            return super().read_log(after, limit)

    def run(*pages: Page) -> None:
        stream(spark, asked(tmp_path, tmp_path / "lake", source=NodeLog(Log(*pages)), taxonomy=None))

    run(Page(b"<urn:s> <urn:p> <urn:o> <urn:e1> .\n", 8))
    shutil.rmtree(tmp_path / "lake" / "_triplewire" / "streams" / "stream")
    run(Page(b"<urn:s> <urn:p> <urn:o> <urn:e2> .\n", 9))
    assert asked_for == [0, 8]
    assert rows_of(tmp_path / "lake", "events", "event") == [("urn:e1",), ("urn:e2",)]
    assert rows_of(tmp_path / "lake", "runs", "batch") == [(0,), (1,)]


def test_a_node_that_is_away_when_the_stream_is_to_stop_is_not_waited_for(spark, tmp_path):
    write_rows(tmp_path / "subscriptions.jsonl", [Row("every", "sparql", "ASK { ?s ?p ?o }")])
    stop = StopSignal()

    class Away(Scripted):
        def read_log(self, after: int, limit: int) -> Page:
            stop.ask()
            raise NodeUnreachable("nobody there")

    log = Away(Page(b"", 0))
    assert stream(spark, asked(tmp_path, tmp_path / "lake", source=NodeLog(log), taxonomy=None), stop=stop).batches == 0


def test_the_name_of_a_notification_is_that_of_subscription_and_event() -> None:
    row = {"subscription": 'a "b"', "event": "urn:e", "solutions": [[("x", "<urn:s>")]]}
    notice = notification_event(row)
    assert notice.name == name_of('a "b"', "urn:e").value != name_of("a", "urn:e").value
    assert notice == notification_event({**row, "time": "another"})
    assert b'"[{\\"x\\":\\"<urn:s>\\"}]"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON>' in notice.nquads
    large = notification_event({**row, "solutions": [[("x", "<urn:s>")]] * 100_000})
    assert len(large.nquads) < 2_000
    assert b'"100000"' in large.nquads
