"""The repository follows the log, also over events that crash it, and forgets what retention removes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pyoxigraph import DefaultGraph, Store
from tests.node.brokers import ME, broker_at, event, events

from triplewire import Event
from triplewire.errors import StoreFailed
from triplewire.node.broker.broker import Broker
from triplewire.node.repository import following, worker
from triplewire.node.repository.following import Allowed
from triplewire.node.repository.repository import Repository
from triplewire.store.retention import Retention

GRAPHS = "SELECT ?g { GRAPH ?g { ?s ?p ?o } } ORDER BY ?g"
# The worker as it is, but for one event that ends the process as a crash would.
CRASHES = """
import importlib.util, os, sys
spec = importlib.util.spec_from_file_location("worker", {worker!r})
worker = importlib.util.module_from_spec(spec)
spec.loader.exec_module(worker)
added = worker.RepositoryStore.add
def add(self, position, events):
    for graph, _ in events:
        if graph.endswith(":poison"):
            with open({notes!r}, "a") as notes:
                notes.write("x")
            os._exit(139)
    return added(self, position, events)
worker.RepositoryStore.add = add
worker.main(*sys.argv[1:])
"""


async def graphs(repository: Repository) -> list[str]:
    result = await repository.query(GRAPHS, "text/csv")
    return result.content.decode().split()[1:]


async def answer(repository: Repository, query: str) -> list[str]:
    """The rows of an answer, without the heading."""
    result = await repository.query(query, "text/csv")
    return result.content.decode().splitlines()[1:]


@asynccontextmanager
async def repository_at(folder: Path) -> AsyncIterator[tuple[Broker, Repository]]:
    """A broker, and the repository that follows it."""
    async with broker_at(folder) as broker:
        repository = Repository(folder / "repository", broker, Allowed())
        await repository.start()
        try:
            yield broker, repository
        finally:
            await repository.stop()


async def test_f11_an_event_that_crashes_the_process_is_left_out_with_the_reason_and_the_rest_flows(
    tmp_path: Path, monkeypatch
):
    script, notes = tmp_path / "worker.py", tmp_path / "notes"
    script.write_text(CRASHES.format(worker=worker.__file__, notes=str(notes)))
    monkeypatch.setattr(worker, "__file__", str(script))
    poison = event(1, "<urn:s> <urn:p> 1 .")
    poison = poison.from_triples("urn:e:poison", poison.triples)

    async with repository_at(tmp_path) as (broker, repository):
        await broker.events.publish(ME, [*events(1, 5), poison, *events(6, 9)])
        while not repository.quarantined:
            await asyncio.sleep(0.01)
        assert await graphs(repository) == [f"urn:e:{n}" for n in range(1, 10)]
        assert "crashed" in repository.quarantined["urn:e:poison"]
        await broker.events.publish(ME, [event(10)])
        assert len(await graphs(repository)) == 10
    # Lots are halved down to the one event, which is tried three times.
    assert 3 <= len(notes.read_text()) <= 8
    tried = notes.read_text()
    async with repository_at(tmp_path) as (_, repository):
        assert len(await graphs(repository)) == 10
    assert notes.read_text() == tried, "not tried again after a restart"


async def test_f1_a_stop_between_repository_and_log_leaves_nothing_behind(tmp_path: Path):
    async with repository_at(tmp_path) as (broker, repository):
        await broker.events.publish(ME, events(1, 6))
        assert len(await graphs(repository)) == 6

        async def removed_and_then_killed(names, floor):
            await repository.remove(names, floor)
            raise OSError("killed")

        with pytest.raises(OSError, match="killed"):
            await broker.housekeeping.trim(Retention(size=3 * len(event(1).nquads)), removed_and_then_killed)
        assert len(await broker.events.after(ME, 0, 10)) == 6
    async with repository_at(tmp_path) as (broker, repository):
        await broker.housekeeping.trim(Retention(size=3 * len(event(1).nquads)), repository.remove)
        assert await graphs(repository) == ["urn:e:4", "urn:e:5", "urn:e:6"]
        assert [record.position for record, _ in await broker.events.after(ME, 0, 10)] == [4, 5, 6]


async def test_what_is_removed_before_it_was_added_is_not_added_later(tmp_path: Path):
    async with broker_at(tmp_path) as broker:
        await broker.events.publish(ME, events(1, 6))
        repository = Repository(tmp_path / "repository", broker, Allowed())
        # Nobody follows yet: the repository is behind when retention comes.
        await broker.housekeeping.trim(Retention(size=2 * len(event(1).nquads)), repository.remove)
        await repository.start()
        assert await graphs(repository) == ["urn:e:5", "urn:e:6"]
        await repository.stop()


async def test_f4_a_repository_that_is_damaged_is_told_and_publishing_goes_on(tmp_path: Path):
    async with repository_at(tmp_path) as (broker, repository):
        await broker.events.publish(ME, events(1, 3))
        assert len(await graphs(repository)) == 3
    store = tmp_path / "repository"
    for path in store.glob("MANIFEST-*"):
        path.write_bytes(b"nonsense")
    async with repository_at(tmp_path) as (broker, repository):
        assert (await broker.events.publish(ME, [event(4)]))[0].position == 4
        while repository.trouble is None:
            await asyncio.sleep(0.01)
        with pytest.raises(StoreFailed, match="does not open"):
            await graphs(repository)
    for path in store.iterdir():
        path.unlink()
    store.rmdir()
    (tmp_path / "repository.position").unlink()
    async with repository_at(tmp_path) as (broker, repository):
        assert len(await graphs(repository)) == 4


SAME = "<urn:a> <urn:knows> <urn:b> . <urn:b> <urn:knows> <urn:c> ."
COUNT = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"


def the_same_three_times() -> list[Event]:
    """Three events with the same two triples, and with one of their own each."""
    return [event(number, f"{SAME} <urn:s> <urn:p> {number} .") for number in (1, 2, 3)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (COUNT, ["5"]),
        ("SELECT (COUNT(DISTINCT ?s) AS ?n) { ?s ?p ?o }", ["3"]),
        ("SELECT (COUNT(*) AS ?n) { ?s <urn:knows> ?o }", ["2"]),
        ("SELECT ?o { <urn:a> <urn:knows>/<urn:knows> ?o }", ["urn:c"]),
        ("SELECT ?o { <urn:a> <urn:knows>+ ?o } ORDER BY ?o", ["urn:b", "urn:c"]),
        ("SELECT (SUM(?o) AS ?n) { <urn:s> <urn:p> ?o }", ["6"]),
        ("SELECT ?s ?o { ?s <urn:knows> ?o } ORDER BY ?s", ["urn:a,urn:b", "urn:b,urn:c"]),
        ("SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s <urn:knows> ?o } }", ["6"]),
        ("SELECT (COUNT(DISTINCT ?g) AS ?n) { GRAPH ?g { ?s ?p ?o } }", ["3"]),
    ],
)
async def test_a_triple_of_three_events_is_in_the_default_graph_once(tmp_path: Path, query: str, expected: list[str]):
    async with repository_at(tmp_path) as (broker, repository):
        await broker.events.publish(ME, the_same_three_times())
        assert await answer(repository, query) == expected


async def test_what_retention_removes_stays_in_the_default_graph_as_long_as_another_event_has_it(tmp_path: Path):
    async with repository_at(tmp_path) as (broker, repository):
        made = the_same_three_times()
        await broker.events.publish(ME, made)
        await broker.housekeeping.trim(Retention(size=len(made[0].nquads)), repository.remove)
        assert await graphs(repository) == ["urn:e:3"] * 3
        assert await answer(repository, "SELECT ?o { ?s ?p ?o } ORDER BY STR(?o)") == ["3", "urn:b", "urn:c"]
        await broker.housekeeping.trim(Retention(size=0), repository.remove)
        assert await answer(repository, COUNT) == ["0"]


async def test_an_event_that_is_added_again_after_a_kill_leaves_none_of_its_old_blank_nodes(tmp_path: Path):
    async with repository_at(tmp_path) as (broker, repository):
        await broker.events.publish(ME, [event(1, "[] <urn:p> 1 ."), event(2, "[] <urn:p> 1 .")])
        assert await answer(repository, COUNT) == ["2"]
    (tmp_path / "repository.position").unlink()
    async with repository_at(tmp_path) as (broker, repository):
        await broker.events.publish(ME, [event(3)])
        assert await answer(repository, COUNT) == ["3"]


async def test_a_repository_of_an_earlier_version_gets_its_default_graph(tmp_path: Path):
    async with repository_at(tmp_path) as (broker, repository):
        await broker.events.publish(ME, the_same_three_times())
        assert len(await graphs(repository)) == 9
    store = Store(str(tmp_path / "repository"))
    store.remove_graph(DefaultGraph())
    assert len(store) == 9, "as the earlier version left it"
    del store
    (tmp_path / "repository.version").unlink()
    async with repository_at(tmp_path) as (_, repository):
        assert await answer(repository, COUNT) == ["5"]


async def test_nobody_who_asks_waits_until_it_has_rested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(following, "_REST_SECONDS", 3_600.0)
    async with repository_at(tmp_path) as (broker, repository):
        # Each time it rests, since it has just taken something over.
        for number in range(3):
            await broker.events.publish(ME, [event(f"rest{number}")])
            assert len(await graphs(repository)) == number + 1
        await broker.events.publish(ME, [event("rest3")])
        found = await asyncio.gather(*[graphs(repository) for _ in range(3)])
        assert [len(each) for each in found] == [4, 4, 4]
        await broker.events.publish(ME, [event("rest4")])
        assert len(await graphs(repository)) == 5
