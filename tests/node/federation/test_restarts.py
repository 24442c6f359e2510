"""What a node knows of rules across super-peers survives it, and what was under way goes on, once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.node.federation.federated import OPEN, Host, acquainted, hosts, quiet
from tests.node.federation.test_reports import LOG, QUEUE, queue, queued
from tests.node.overlay.overlays import settled
from tests.node.transport.backbones import until

from triplewire.errors import DamagedStore, DiskFull
from triplewire.node.federation import host as hosting
from triplewire.node.federation import input_log
from triplewire.store.disk import Connection

BIRTH = "INSERT resource(ex:{}) AS INSTANCE OF Person;;"


async def back(host: Host, *others: Host) -> None:
    await host.start(*others)
    await settled([host, *others])


async def test_rules_and_privileges_are_there_after_a_restart(tmp_path: Path):
    async with hosts(tmp_path, "a", "b") as [a, b]:
        await queue(a, b)
        made = await b.federation.find_rule(b.me, "rule")
        await quiet(a, b)
        await b.stop()
        await back(b, a)
        assert await b.federation.find_rule(b.me, "rule") == made
        assert await b.federation.privileges(b.me) == OPEN
        await acquainted(a, b)
        await a.update(BIRTH.format("ann"))
        await until(lambda: queued(b) == ["ann"])


async def test_a_report_whose_node_crashes_triggers_after_its_return(tmp_path: Path):
    async with hosts(tmp_path, "a", "b") as [a, b]:
        await queue(a, b)
        await a.update(BIRTH.format("ann"))
        await until(lambda: queued(b) == ["ann"])
        await quiet(a, b)
        # Nothing leaves any more: it ends between a commit and what comes of it.
        a.federation.participation.host.release = lambda _: None
        await a.update(BIRTH.format("bob"))
        await a.crash()
        await back(a, b)
        await until(lambda: queued(b) == ["ann", "bob"])
        await quiet(a, b)
        assert queued(b) == ["ann", "bob"]


async def test_a_node_that_crashes_in_mid_cascade_acts_once_it_is_back(tmp_path: Path):
    async with hosts(tmp_path, "a", "b") as [a, b]:
        await queue(a, b)
        await a.update(BIRTH.format("ann"))
        await until(lambda: queued(b) == ["ann"])
        await quiet(a, b)
        # Its own graph is not asked any more: the instance is on the disk, and nobody has executed it.
        b.federation.participation.site.receive = lambda _: None  # type: ignore[method-assign]
        before = b.federation.participation.host.taken
        await a.update(BIRTH.format("bob"))
        await until(lambda: any(unit.peer == b.id and unit.pending == [] for unit in active(b)))
        assert b.federation.participation.host.taken > before
        await b.crash()
        await back(b, a)
        await until(lambda: queued(b) == ["ann", "bob"])
        await quiet(a, b)
        assert queued(b) == ["ann", "bob"]


def active(host: Host) -> list:
    return [unit for unit in host.units if unit.status.value == "active"]


async def test_what_was_done_and_not_answered_is_not_done_again(tmp_path: Path):
    async with hosts(tmp_path, "a", "b") as [a, b]:
        await queue(a, b)
        await a.update(BIRTH.format("ann"))
        await until(lambda: queued(b) == ["ann"])
        await quiet(a, b)
        # What the graph tells does not reach the machine: the request is repeated after the return.
        b.federation.participation.site._is_open = False
        await a.update(BIRTH.format("bob"))
        await until(lambda: queued(b) == ["ann", "bob"])
        await b.crash()
        await back(b, a)
        await quiet(a, b)
        assert queued(b) == ["ann", "bob"]
        await a.update(BIRTH.format("cat"))
        await until(lambda: queued(b) == ["ann", "bob", "cat"])


async def test_a_snapshot_takes_the_place_of_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async with hosts(tmp_path, "a", "b") as [a, b]:
        await queue(a, b)
        log = b.federation.participation.host.log
        monkeypatch.setattr(input_log, "_LEAST_BYTES", 0)
        monkeypatch.setattr(input_log, "_FACTOR", 0)
        await a.update(BIRTH.format("ann"))
        await until(lambda: queued(b) == ["ann"] and log.snapshot_bytes > 0)
        await quiet(a, b)
        monkeypatch.undo()
        await b.stop()
        await back(b, a)
        assert b.federation.participation.host.log.snapshot_bytes > 0
        await acquainted(a, b)
        await a.update(BIRTH.format("bob"))
        await until(lambda: queued(b) == ["ann", "bob"])


async def test_the_clock_of_the_rules_goes_on(tmp_path: Path):
    async with hosts(tmp_path, "a") as [a]:
        await a.rule(QUEUE)
        before = a.federation.machine.rules.coordinator.state.now
        assert before > 0
        await a.stop()
        await a.start()
        assert a.federation.participation.host.now >= before


async def test_a_log_with_a_hole_is_not_read(tmp_path: Path):
    async with hosts(tmp_path, "a") as [a]:
        await a.update(LOG)
        await quiet(a)

        def tear(tx: Connection) -> None:
            tx.execute("DELETE FROM federation_log WHERE number = 2")

        await a.broker.store.write(tear)
        await a.federation.stop()
        with pytest.raises(DamagedStore, match="the input 2"):
            await a.carry()


async def test_while_the_disk_is_full_nothing_leaves_and_afterwards_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(hosting, "RETRY_SECONDS", 0.05)
    async with hosts(tmp_path, "a", "b") as [a, b]:
        await queue(a, b)
        await quiet(a, b)
        log = b.federation.participation.host.log
        original, is_full = log.append, True

        async def append(inputs: list[bytes], also: Callable[[Connection], None]) -> None:
            if is_full:
                raise DiskFull("no space is left")
            await original(inputs, also)

        monkeypatch.setattr(log, "append", append)
        await a.update(BIRTH.format("ann"))
        await until(lambda: b.federation.participation.host.is_full)
        with pytest.raises(DiskFull):
            await b.rule(QUEUE, "another")
        assert queued(b) == []
        is_full = False
        await until(lambda: queued(b) == ["ann"])
        await quiet(a, b)
        assert queued(b) == ["ann"]
