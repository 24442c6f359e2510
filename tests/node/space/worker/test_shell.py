"""The shell around a member: commits come before messages, a disk may be full or fail, a call may have a bug."""

from __future__ import annotations

import asyncio
from collections import Counter
from random import Random
from typing import Any

import pytest
from tests.node.brokers import event
from tests.node.transport.backbones import until

from triplewire.errors import DiskFull, StoreFailed
from triplewire.network.can.geometry.space import SPACE
from triplewire.network.can.messages import Address, TransferAck
from triplewire.network.eventspace.member import SpaceMember
from triplewire.node.space import worker_messages as said
from triplewire.node.space.worker import shell as shells
from triplewire.node.space.worker.inbox import Batch
from triplewire.node.space.worker.messages import SurveyAnswer, SurveyRequest
from triplewire.node.space.worker.shell import MemberShell
from triplewire.testing.memory_storage import MemoryStorage

ME = Address("n-1", "tcp://127.0.0.1:1")
OTHER = Address("n-2", "tcp://127.0.0.1:2")


class Wire:
    """A transport that keeps what is sent, and how many commits there were before."""

    def __init__(self, storage: MemoryStorage) -> None:
        self.address = ME.address
        self.sent: Counter[str] = Counter()
        self.received: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.dropped: Counter[str] = Counter()
        self.messages: list[tuple[str, Any]] = []
        self.commits: list[int] = []
        self._storage = storage

    def send(self, address: str, messages: Any) -> None:
        self.messages += [(address, message) for message in messages]
        self.commits.append(self._storage.commits)


class Alone:
    """A member that has founded a space, and its shell."""

    def __init__(self) -> None:
        self.storage = MemoryStorage()
        self.wire = Wire(self.storage)
        self.told: list[said.Answer] = []
        self.now = 0.0
        self.member = SpaceMember(ME, self.storage, Random(0))
        self.shell = MemberShell(self.member, self.wire, self.told.extend, lambda: self.now)  # type: ignore[arg-type]

    async def started(self) -> Alone:
        await self.shell.start(())
        return self

    async def turn(self, *requests: said.Request, messages: Any = ()) -> None:
        self.now += 0.2
        await self.shell.turn(Batch(messages=list(messages), requests=list(requests)))

    def all(self, kind: type) -> list[Any]:
        return [answer for answer in self.told if isinstance(answer, kind)]


def publish(number: int) -> said.Publish:
    one = event(number)
    return said.Publish(number, one.graph.value, one.nquads, one.time.isoformat(), "me")


async def test_a_founder_says_that_it_is_in_and_stores_what_is_published():
    alone = await Alone().started()
    assert alone.all(said.Report)[0].description.stage == "in"
    await alone.turn(publish(1), publish(2))
    for _ in range(5):
        await alone.turn()
    assert {answer.ticket for answer in alone.all(said.Stored)} == {1, 2}
    assert alone.storage.count(SPACE) == 2
    assert alone.shell.description().loads == (2,)


async def test_a_subscription_is_indexed_and_one_that_ended_while_nobody_ran_is_withdrawn():
    alone = await Alone().started()
    await alone.turn(
        said.Subscribe("1", "sparql", "SELECT * { ?s <urn:p> ?o }"), said.Subscribe("2", "sparql", "ASK {}")
    )
    for _ in range(3):
        await alone.turn()
    assert {answer.id for answer in alone.all(said.Indexed)} == {"1", "2"}
    await alone.turn(said.Standing(("2",)))
    assert alone.member.subscription_ids == ("2",)
    await alone.turn(said.Unsubscribe("2"), said.Unsubscribe("never there"))
    assert alone.member.subscription_ids == ()
    assert "bug" not in alone.all(said.Report)[-1].refused


async def test_what_is_stored_is_fetched():
    alone = await Alone().started()
    await alone.turn(publish(1), publish(2))
    await alone.turn(said.Fetch(9, (SPACE,)))
    for _ in range(5):
        await alone.turn()
    pages = alone.all(said.Fetched)
    assert pages[-1].is_last
    assert {point[0] for page in pages for point in page.quads} == {b"<urn:e:1>", b"<urn:e:2>"}


async def test_f1_nothing_leaves_before_the_commit():
    alone = await Alone().started()
    before = alone.storage.commits
    await alone.turn(messages=[(OTHER.id, SurveyRequest(1, OTHER))])
    assert [address for address, _ in alone.wire.messages] == [OTHER.address]
    assert alone.wire.commits[-1] == before + 1


async def test_f3_a_full_disk_holds_everything_back_and_is_reported(monkeypatch):
    monkeypatch.setattr(shells, "_FULL_SECONDS", 0.01)
    alone = await Alone().started()
    alone.storage.fail_with = DiskFull("no space left")
    turn = asyncio.create_task(alone.turn(publish(1), messages=[(OTHER.id, SurveyRequest(1, OTHER))]))
    await until(lambda: alone.all(said.Report)[-1].trouble)
    assert not turn.done()
    assert alone.wire.messages == []
    assert alone.all(said.Stored) == []
    alone.storage.fail_with = None
    await turn
    assert len(alone.wire.messages) == 1
    for _ in range(5):
        await alone.turn()
    assert [answer.ticket for answer in alone.all(said.Stored)] == [1]
    assert alone.all(said.Report)[-1].trouble is None


async def test_f2_a_failed_disk_ends_the_process():
    alone = await Alone().started()
    alone.storage.fail_with = StoreFailed("the disk failed")
    with pytest.raises(StoreFailed):
        await alone.turn(publish(1))
    assert alone.all(said.Stored) == []


async def test_a_bug_costs_one_call_and_is_counted():
    alone = await Alone().started()
    broken = said.Publish(7, "urn:e:7", b"no N-Quads", "2026-01-01T00:00:00+00:00", None)
    await alone.turn(broken, publish(1))
    for _ in range(10):
        await alone.turn()
    assert [answer.ticket for answer in alone.all(said.Stored)] == [1]
    assert alone.all(said.Report)[-1].refused == {"bug": 1}


async def test_a_survey_tells_of_everybody_that_answers():
    alone = await Alone().started()
    await alone.turn(said.Survey(3))
    [found] = alone.all(said.Surveyed)
    assert found.ticket == 3
    assert [node.record.id for node in found.nodes] == [ME.id]
    await alone.turn(messages=[(OTHER.id, SurveyRequest(8, OTHER))])
    [(address, answer)] = alone.wire.messages
    assert address == OTHER.address
    assert isinstance(answer, SurveyAnswer)
    assert answer.number == 8


async def test_a_message_that_nobody_waits_for_changes_nothing():
    alone = await Alone().started()
    await alone.turn(messages=[(OTHER.id, TransferAck("no such transfer", 0))])
    assert alone.wire.messages == []
