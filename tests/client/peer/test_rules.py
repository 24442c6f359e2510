"""A peer's part in rules: it joins until it has, tells in order, a window at a time, and again what is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.rules.execution.town import PREAMBLE, a
from tests.rules.family import FAMILY

from triplewire.client.peer import rules
from triplewire.client.peer.home_repository import HomeRepository
from triplewire.client.peer.inbox import Inbox
from triplewire.client.peer.rules import PeerRules
from triplewire.errors import DiskFull, LimitExceeded, SchemaViolation, UnknownName
from triplewire.federation.sites import session
from triplewire.federation.sites.requests import Execute, Executed, Match, Matched, Numbered, Received, Report, Told
from triplewire.federation.sites.session import Joined, Joining, NotJoined
from triplewire.languages.rdftl import parse_updates
from triplewire.rules.graphs import Lookup
from triplewire.rules.name_resolution import resolved_update
from triplewire.rules.vocabulary import TYPE
from triplewire.testing import FaultyDisk

JOINED = session.answer_to_join(Joined())
LATER = 1_000.0


def updates(text: str):
    return parse_updates(PREAMBLE + text)


def person(name: str):
    return updates(f"INSERT resource(http://example.org/{name}) AS INSTANCE OF Person;;")


class SuperPeer:
    """What a peer says, read; and what the disk of its home does."""

    def __init__(self, folder: Path) -> None:
        self.disk = FaultyDisk()
        self.heard: list[object] = []
        self.failures: list[Exception] = []
        repository = HomeRepository(folder / "repository.db", "tw-ann", self.disk)
        repository.put_schema(FAMILY)
        self.inbox = Inbox(folder / "inbox")
        self.peer = PeerRules(repository, self.inbox, self._hear, self.failures.append)

    def _hear(self, body: bytes) -> None:
        self.heard.append(session.read_at_super_peer(body))

    async def settle(self) -> list[object]:
        """Wait until the peer has done what it was asked for; returns what it has said."""
        await self.peer._run(lambda: None)
        heard, self.heard = self.heard, []
        return heard

    async def join(self, super_peer: str = "sp-one") -> None:
        self.peer.session_begun(0.0, super_peer)
        await self.settle()
        self.peer.take(JOINED)
        await self.settle()

    def say(self, message) -> None:
        self.peer.take(session.said_by_super_peer(message))


@asynccontextmanager
async def hearing(folder: Path) -> AsyncIterator[SuperPeer]:
    heard = SuperPeer(folder)
    yield heard
    await heard.peer.close()


def serials(heard: list[object]) -> list[int]:
    return [one.serial for one in heard if isinstance(one, Told)]


async def test_it_joins_with_all_that_it_has_until_it_is_answered(tmp_path):
    async with hearing(tmp_path) as it:
        await it.peer.change(person("bob"))
        assert await it.settle() == []
        it.peer.session_begun(0.0, "sp-one")
        [joining] = await it.settle()
        assert isinstance(joining, Joining)
        assert joining.next_serial == 1
        assert joining.view.declared == FAMILY
        it.peer.tick(1.0)
        assert await it.settle() == []
        it.peer.tick(LATER)
        [again] = await it.settle()
        assert isinstance(again, Joining)
        it.peer.take(JOINED)
        [told] = await it.settle()
        assert isinstance(told.what, Report)
        it.peer.tick(2 * LATER)
        assert not any(isinstance(one, Joining) for one in await it.settle())


async def test_what_was_told_and_not_received_is_told_again(tmp_path):
    async with hearing(tmp_path) as it:
        await it.join()
        told = await it.peer.change(person("bob"))
        assert serials(await it.settle()) == [1]
        it.peer.tick(LATER)
        await it.settle()
        it.peer.tick(2 * LATER)
        assert serials(await it.settle()) == [1]
        waiting = asyncio.ensure_future(it.peer.received(told.serial))
        it.say(Received(1))
        await waiting
        it.peer.tick(3 * LATER)
        it.peer.tick(4 * LATER)
        assert serials(await it.settle()) == []
        # A session that begins anew has nothing to repeat, and a new one hears of the next.
        await it.join()
        await it.peer.change(person("cat"))
        assert serials(await it.settle()) == [2]


async def test_it_tells_a_window_at_a_time_in_order(tmp_path, monkeypatch):
    monkeypatch.setattr(rules, "_WINDOW", 2)
    async with hearing(tmp_path) as it:
        for name in ("a", "b", "c", "d", "e"):
            await it.peer.change(person(name))
        it.peer.session_begun(0.0, "sp-one")
        await it.settle()
        it.peer.take(JOINED)
        assert serials(await it.settle()) == [1, 2]
        it.say(Received(1))
        assert serials(await it.settle()) == [3]
        it.say(Received(3))
        assert serials(await it.settle()) == [4, 5]


async def test_it_does_what_it_is_asked_for_and_answers_again_what_comes_again(tmp_path):
    async with hearing(tmp_path) as it:
        await it.join()
        [update] = person("bob")
        asked = Numbered(1, Execute("u", resolved_update(update, FAMILY).action))
        it.say(asked)
        [told] = await it.settle()
        assert isinstance(told.what.reply, Executed)
        it.say(asked)
        assert await it.settle() == [told]
        it.say(Match("q", (Lookup(None, TYPE, None),)))
        [answer] = await it.settle()
        assert isinstance(answer, Matched)
        assert a("bob", "Person") in answer.answers[0]


async def test_it_takes_part_no_more_while_it_is_refused_and_again_when_it_is_not(tmp_path):
    async with hearing(tmp_path) as it:
        await it.join()
        it.peer.take(session.answer_to_join(NotJoined("a peer that fits", "another")))
        told = await it.peer.change(person("bob"))
        assert serials(await it.settle()) == []
        assert it.peer.refusal == NotJoined("a peer that fits", "another")
        # Nobody waits for what will not come.
        await it.peer.received(told.serial)
        assert not it.peer.has_received(told.serial)
        it.peer.tick(LATER)
        assert [type(one) for one in await it.settle()] == [Joining]
        it.peer.take(JOINED)
        assert serials(await it.settle()) == [1]
        assert it.peer.refusal is None


async def test_what_it_cannot_read_is_dropped_and_it_goes_on(tmp_path):
    async with hearing(tmp_path) as it:
        await it.join()
        it.peer.take(b"nonsense")
        await it.peer.change(person("bob"))
        assert serials(await it.settle()) == [1]


async def test_a_change_that_cannot_be_done_is_raised_where_it_was_asked_for(tmp_path):
    async with hearing(tmp_path) as it:
        await it.join()
        with pytest.raises(UnknownName):
            await it.peer.change(updates("INSERT resource(http://example.org/x) AS INSTANCE OF Nothing;;"))
        with pytest.raises(SchemaViolation):
            await it.peer.change(updates("INSERT (resource(http://example.org/x), name, 'X');;"))
        assert serials(await it.settle()) == []
        assert it.failures == []
        [done] = await it.peer.update(f"{PREAMBLE}INSERT resource(http://example.org/x) AS INSTANCE OF Person;;")
        assert (done.status, done.serial) == ("committed", 1)


async def test_a_disk_that_fails_is_told_and_nothing_is_said(tmp_path):
    async with hearing(tmp_path) as it:
        await it.join()
        it.disk.fill()
        with pytest.raises(DiskFull):
            await it.peer.change(person("bob"))
        it.disk.free()
        assert [type(problem) for problem in it.failures] == [DiskFull]
        assert await it.settle() == []


async def test_what_is_too_large_to_say_ends_in_a_refusal(tmp_path, monkeypatch):
    async with hearing(tmp_path) as it:

        def refuse(body: bytes) -> None:
            raise LimitExceeded("rule_data_bytes", 3, wanted="at most 3 bytes", found="more")

        monkeypatch.setattr(it.peer, "_tell", refuse)
        it.peer.session_begun(0.0, "sp-one")
        await it.settle()
        assert it.peer.refusal == NotJoined("at most 3 bytes", "more")


async def test_it_looks_into_the_inbox(tmp_path):
    async with hearing(tmp_path) as it:
        await it.join()
        it.peer.look_into_inbox()
        key = it.inbox.put(f"{PREAMBLE}INSERT resource(http://example.org/x) AS INSTANCE OF Person;;")
        it.peer.look_into_inbox()
        it.peer.look_into_inbox()
        assert serials(await it.settle()) == [1]
        assert it.inbox.answer(key).transactions[0].serial == 1
