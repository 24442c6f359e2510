"""The compiled subscriptions are kept, used when they are right, and never trusted when they are not."""

from __future__ import annotations

import shutil
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from tests.node.brokers import EVERYTHING, ME, YOU, broker_at, client, event, events, positions, subscribed
from tests.node.node_process import NodeProcess
from tests.node.test_shutdown import fill

from triplewire.algebra.subscriptions import Subscription
from triplewire.node.broker.broker import Broker
from triplewire.node.matching import snapshots
from triplewire.store.database import Database
from triplewire.store.retention import Retention
from triplewire.store.tables import registry
from triplewire.store.tables.identities import Grant

COUNT = 12
LIMITED = client("limited", subscribe=Grant(graphs=("urn:e:2",)))
OTHER = "SELECT ?s { ?s <urn:q> ?o }"
MADE = "CONSTRUCT { ?o <urn:of> ?s } { ?s <urn:p> ?o }"
SLOW = "SELECT ?s ?o { ?s ?p ?o OPTIONAL { ?o <urn:q> ?x } }"


@pytest.fixture(autouse=True)
def _worth_it(monkeypatch):
    monkeypatch.setattr(snapshots, "WORTH", 1)


@pytest.fixture
def parsing(monkeypatch) -> list[str]:
    """The texts of all subscriptions that are parsed."""
    seen: list[str] = []
    parse = Subscription.parse.__func__

    def noted(cls, text, *arguments, **options):
        seen.append(text)
        return parse(cls, text, *arguments, **options)

    monkeypatch.setattr(Subscription, "parse", classmethod(noted))
    return seen


async def fill_in(broker):
    for number in range(COUNT):
        await subscribed(broker, f"s{number}")
    await subscribed(broker, "made", MADE)
    await subscribed(broker, "slow", SLOW)
    await subscribed(broker, "other", OTHER)
    await subscribed(broker, "limited", who=LIMITED)


def opened(folder: Path) -> AbstractAsyncContextManager[Broker]:
    return broker_at(folder, unregistered=(ME, YOU, LIMITED))


async def is_right(broker) -> None:
    """Publish two events, and see that each subscription gets what it asked for."""
    first = (await broker.events.publish(ME, events(1, 2)))[0].position
    for name in ("s0", f"s{COUNT - 1}", "made", "slow"):
        assert await positions(broker, broker.subscriptions.require("me", name).number) == [first, first + 1], name
    assert await positions(broker, broker.subscriptions.require("me", "other").number) == []
    assert await positions(broker, broker.subscriptions.require("limited", "limited").number) == [first + 1]
    [one, *_] = (await broker.notifications.page(broker.subscriptions.require("me", "made").number)).notifications
    assert b'"construct":' in one.json
    assert broker.subscriptions.index.progress(broker.subscriptions.require("me", "slow").number).is_unindexed
    assert not broker.subscriptions.index.progress(broker.subscriptions.require("me", "s3").number).is_unindexed


async def test_a_start_after_a_stop_compiles_nothing(tmp_path: Path, parsing: list[str]):
    async with opened(tmp_path) as broker:
        await fill_in(broker)
    parsing.clear()
    async with opened(tmp_path) as broker:
        assert set(parsing) <= {"SELECT ?s { ?s <urn:p> ?o }"}, "only the warm-up"
        await is_right(broker)


async def test_what_changed_since_is_compiled_and_the_rest_is_not(tmp_path: Path, parsing: list[str]):
    kept = tmp_path / "kept"
    fresh = "SELECT ?fresh { ?fresh <urn:p> ?o }"

    async with opened(tmp_path) as broker:
        await fill_in(broker)
    shutil.copytree(tmp_path / snapshots.FOLDER, kept)
    async with opened(tmp_path) as broker:
        await broker.subscriptions.unsubscribe(broker.subscriptions.require("me", "s1").number)
        await broker.subscriptions.unsubscribe(broker.subscriptions.require("me", "s2").number)
        await subscribed(broker, "s2", fresh)
    # As after a kill: the registry is newer than the snapshot.
    shutil.rmtree(tmp_path / snapshots.FOLDER)
    shutil.copytree(kept, tmp_path / snapshots.FOLDER)
    parsing.clear()
    async with opened(tmp_path) as broker:
        assert set(parsing) <= {fresh, "SELECT ?s { ?s <urn:p> ?o }"}
        found = [record.name for record in broker.subscriptions.index.of("me")]
        assert "s1" not in found
        await is_right(broker)
        assert await positions(broker, broker.subscriptions.require("me", "s2").number) == [1, 2]


async def test_a_query_that_is_not_what_it_was_makes_the_whole_snapshot_worthless(tmp_path: Path):
    async with opened(tmp_path) as broker:
        await fill_in(broker)
    database = Database(tmp_path)
    change = "UPDATE subscriptions SET text = ? WHERE name = 's0'"
    database.writer.submit(lambda tx: tx.execute(change, (OTHER,))).result()
    database.close()
    async with opened(tmp_path) as broker:
        await broker.events.publish(ME, [event(1, "<urn:s> <urn:q> 1 .")])
        assert await positions(broker, broker.subscriptions.require("me", "s0").number) == [1]


async def test_a15_other_rights_than_when_it_was_written_are_those_that_count(tmp_path: Path):
    async with opened(tmp_path) as broker:
        await fill_in(broker)
    async with broker_at(
        tmp_path, unregistered=(ME, YOU, client("limited", subscribe=Grant(graphs=("urn:e:3",))))
    ) as broker:
        await broker.events.publish(ME, events(1, 3))
        assert await positions(broker, broker.subscriptions.require("limited", "limited").number) == [3]


def files(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / snapshots.FOLDER).rglob("*") if path.is_file())


async def test_f4_a_snapshot_that_is_damaged_anywhere_is_not_used(tmp_path: Path):
    async with opened(tmp_path / "whole") as broker:
        await fill_in(broker)
    database = Database(tmp_path / "whole")
    records = database.read(registry.everyone)
    database.close()
    whole = tmp_path / "whole" / snapshots.FOLDER
    assert snapshots.read(whole.parent, None, records).matchers
    names = [path.relative_to(whole) for path in files(whole.parent) if path.stat().st_size]
    assert len(names) > 10
    for number, name in enumerate(names):
        folder = tmp_path / f"copy-{number}"
        shutil.copytree(whole, folder / snapshots.FOLDER)
        damage(folder / snapshots.FOLDER / name, number)
        assert snapshots.read(folder, None, records) is snapshots.NOTHING, name


@pytest.mark.parametrize("number", range(3))
async def test_f4_subscriptions_of_a_damaged_snapshot_are_compiled_anew(tmp_path: Path, number: int):
    async with opened(tmp_path) as broker:
        await fill_in(broker)
    for path in files(tmp_path)[number::3]:
        damage(path, number)
    async with opened(tmp_path) as broker:
        await is_right(broker)
    async with opened(tmp_path) as broker:
        await broker.housekeeping.trim(Retention())


def damage(path: Path, number: int) -> None:
    """Flip a bit, cut the end off, or remove the file, in turns."""
    data = bytearray(path.read_bytes())
    if number % 3 == 0:
        data[-1 - len(data) // 3] ^= 4
        path.write_bytes(data)
    elif number % 3 == 1:
        path.write_bytes(data[: len(data) // 2])
    else:
        path.unlink()


async def test_a_snapshot_of_other_code_is_compiled_anew(tmp_path: Path, monkeypatch, parsing: list[str]):
    async with opened(tmp_path) as broker:
        await fill_in(broker)
    parsing.clear()
    monkeypatch.setattr(snapshots, "_code", lambda: "other")
    async with opened(tmp_path) as broker:
        assert EVERYTHING in parsing
        await is_right(broker)


@pytest.mark.parametrize("step", ["save", "replace_file", "_tidy"])
async def test_f1_a_stop_in_the_middle_of_writing_leaves_a_snapshot_that_is_whole(tmp_path, monkeypatch, step: str):
    def killed(*_):
        raise OSError("killed")

    async with opened(tmp_path) as broker:
        await fill_in(broker)
    with monkeypatch.context() as patch:
        patch.setattr(snapshots.Matcher if step == "save" else snapshots, step, killed)
        async with opened(tmp_path) as broker:
            await subscribed(broker, "one more")
    async with opened(tmp_path) as broker:
        assert len(broker.subscriptions.index) == COUNT + 5
        await is_right(broker)
    assert len([path for path in (tmp_path / snapshots.FOLDER).iterdir() if path.is_dir()]) == 2


async def test_housekeeping_writes_a_snapshot_when_much_has_changed(tmp_path: Path):
    index = tmp_path / snapshots.FOLDER / "index"

    async with opened(tmp_path) as broker:
        await fill_in(broker)
        await broker.housekeeping.trim(Retention())
        written = index.read_bytes()
        await subscribed(broker, "one more")
        await broker.housekeeping.trim(Retention())
        assert index.read_bytes() == written
        for number in range(5):
            await subscribed(broker, f"many more {number}")
        await broker.housekeeping.trim(Retention())
        assert index.read_bytes() != written


async def test_a_full_disk_costs_the_snapshot_and_nothing_else(tmp_path: Path, monkeypatch, caplog):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(snapshots, "replace_file", full)
    async with opened(tmp_path) as broker:
        await fill_in(broker)
    assert "No space left" in caplog.text
    async with opened(tmp_path) as broker:
        await is_right(broker)


@pytest.mark.system
def test_f1_kill_9_while_a_real_node_writes_snapshots(tmp_path: Path):
    data = tmp_path / "node"
    fill(data, 1_500)
    for attempt in range(3):
        node = NodeProcess(data, "--open", "--housekeeping-seconds", "0.05")
        for number in range(attempt + 1):
            text = f"SELECT ?o {{ ?s <urn:new:{attempt}:{number}> ?o }}"
            headers = {"Content-Type": "application/sparql-query"}
            put = node.http.put(f"/subscriptions/n{attempt}-{number}", content=text, headers=headers)
            assert put.status_code == 201
        node.kill()
    node = NodeProcess(data, "--open")
    graph = "<urn:s> <urn:new:1:0> 1 . <urn:s> <urn:p:7> <urn:o> . <urn:o> <urn:q> 7 ."
    assert node.http.post("/events", content=graph, headers={"Content-Type": "text/turtle"}).status_code == 201
    for name in ("n1-0", "s7"):
        assert len(node.http.get(f"/subscriptions/{name}/notifications").json()["notifications"]) == 1, name
    assert node.http.get("/subscriptions/s8/notifications").json()["notifications"] == []
    assert node.stop() == 0


async def test_a17_a_snapshot_that_leads_outside_the_folder_is_neither_read_nor_written_nor_tidied(tmp_path: Path):
    data, outside = tmp_path / "data", tmp_path / "outside"
    async with opened(data) as broker:
        await fill_in(broker)
    home = data / snapshots.FOLDER
    index = snapshots._read_index(home / "index")
    database = Database(data)
    records = database.read(registry.everyone)
    database.close()
    for token in ("../outside", "..", "/etc", ""):
        parts = [snapshots.SnapshotPart(part.grant, token) for part in index.parts]
        body = snapshots.msgspec.msgpack.encode(snapshots.SnapshotIndex(index.code, index.rows, parts))
        (home / "index").write_bytes(snapshots._sealed(body))
        assert snapshots.read(data, None, records) is snapshots.NOTHING
    shutil.rmtree(home)
    (outside / "precious").mkdir(parents=True)
    home.symlink_to(outside)
    async with opened(data) as broker:
        await is_right(broker)
    assert [path.name for path in outside.rglob("*")] == ["precious"]
