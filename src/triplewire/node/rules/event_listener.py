"""Hearing: published events come into the rules' repository, where a rule that listens may be triggered by them.

Such an event is an update like any other: one transaction that inserts all its triples, if they conform to the schema.
So rules mean the same whoever set them off, and the analysis holds. It is detached from the publication: the log is
read after the commit, and what goes wrong here is nobody's who published. How far it has come is written with what an
event has changed, so each is taken once, also after a crash.

Events that tell of the repository's own changes are not heard: what they tell has happened there, and triggered what it
could. So rules cannot set themselves off through the log. What other nodes' repositories have inserted is heard, as far
as it fits into this one; that goes on from node to node, and ends after so many.

Error handling: an event that does not conform, or that the rule's owner may not write, is left out with the reason. A
full disk is waited for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress

from triplewire.errors import BudgetExceeded, DiskFull, Forbidden, StoreError, TriplewireError
from triplewire.languages.rdftl.syntax import Update
from triplewire.node.access.grants import covered
from triplewire.node.broker.core import Core
from triplewire.node.broker.events import Events
from triplewire.node.matching.catch_up_step import event_of
from triplewire.node.rules.event_updates import insertion
from triplewire.node.rules.publication import Publication, hops_of, inserted_by, tells_of_changes
from triplewire.node.rules.rights import NOTHING, parties_of
from triplewire.rdf.events import Event
from triplewire.rules.changes import Triples
from triplewire.rules.execution import Outcome
from triplewire.rules.hosting import RuleHost
from triplewire.rules.repository import Repository
from triplewire.store.disk import Connection
from triplewire.store.tables import log, metadata, rulebook
from triplewire.store.tables.identities import Client
from triplewire.store.tables.log import Record

PUBLISHER = "rules"
_HEARD = "rules heard"
_CHUNK = 128
# Events that nobody listens to are passed over in memory; this many again after a crash take no time.
_UNWRITTEN = 1_000
_FULL_SECONDS = 5.0
# Through so many repositories of other nodes goes what one rule does and another one hears.
MOST_HOPS = 32
_log = logging.getLogger(__name__)


class Hearing:
    """Follows the log for the rules that listen; `then` is called after each schedule. Made on an event loop."""

    def __init__(self, core: Core, events: Events, host: RuleHost, then: Callable[[], None]) -> None:
        self._core = core
        self._events = events
        self._host = host
        self._then = then
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self.position = 0
        self._written = 0
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Go on where the node stopped."""
        self._events.followers.append(self._notice)
        self._task = asyncio.create_task(self._run(), name="rules that listen")
        self._task.add_done_callback(_tell_of_a_bug)
        self._news.set()

    async def end(self) -> None:
        """Stop after what is under way."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def look(self) -> None:
        """Look whether somebody listens now."""
        self._news.set()

    def _notice(self, records: Sequence[Record]) -> None:
        if records and self._host.listens and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._news.set)

    async def _run(self) -> None:
        self.position = self._written = int(await self._core.store.read(lambda tx: metadata.get(tx, _HEARD)) or 0)
        while True:
            await self._news.wait()
            self._news.clear()
            try:
                while await self._hear_some():
                    pass
            except DiskFull as problem:
                _log.warning("rules that listen have to wait: %s", problem)
                await asyncio.sleep(_FULL_SECONDS)
                self._news.set()
            except StoreError as problem:
                _log.error("rules listen to events no longer: %s", problem)
                return

    async def _hear_some(self) -> bool:
        """Hear the next events; whether there may be more."""
        since = await asyncio.to_thread(self._host.listens_since)
        if since is None:
            return False
        start = max(self.position, since)
        floor, records = await self._core.store.read(lambda tx: (log.floor(tx), log.after(tx, start, _CHUNK)))
        if start < floor:
            _log.warning("rules that listen have missed what retention removed: events %d to %d", start + 1, floor)
            self.position = floor
        for record in records:
            if not _is_our_own_change(record):
                await self._hear(record)
            self.position = record.position
        if self.position - self._written > _UNWRITTEN:
            await self._write()
        return bool(records)

    async def _hear(self, record: Record) -> None:
        event = await asyncio.to_thread(event_of, record)
        triples = inserted_by(event, record.source)
        rules = await asyncio.to_thread(self._host.hearing, triples, record.position)
        if not rules:
            return
        try:
            await self._take(event, triples, record, await self._taker(triples, rules))
        except StoreError:
            raise
        except Exception as problem:  # noqa: BLE001  whatever it is, the next events are to be heard
            bug = None if isinstance(problem, TriplewireError) else problem
            _log.warning("the event <%s> is not taken: %s", event.graph.value, problem, exc_info=bug)
            self.position = record.position
            await self._write()

    async def _take(self, event: Event, triples: Triples, record: Record, taker: Client) -> None:
        is_change = tells_of_changes(record.source)
        hops = hops_of(record.source) + 1 if is_change else 0
        if hops > MOST_HOPS:
            raise BudgetExceeded(f"it has come through {MOST_HOPS} repositories, whose rules may trigger each other")
        grant = taker.rights.publish or NOTHING
        published = Publication(self._core, self._events, PUBLISHER, grant, hops)

        def plan(_: Connection, repository: Repository) -> list[Update]:
            # A publisher's event is taken whole or not at all, but of another repository only some may fit here.
            return [insertion(event, repository.fitting(triples) if is_change else triples)]

        def write(connection: Connection, outcome: Outcome) -> None:
            published.write(connection, outcome)
            metadata.put(connection, _HEARD, record.position)

        parties = parties_of(taker.id, self._core.clients)
        future = self._host.execute_planned(plan, write, published.committed, parties)
        outcome = await asyncio.wrap_future(future)
        self._written = record.position
        self._then()
        for entry in outcome.aborted:
            if entry.rule is None:
                _log.warning("the event <%s> is not taken: %s", event.graph.value, entry.error)

    async def _write(self) -> None:
        heard = self.position
        await self._core.store.write(lambda tx: metadata.put(tx, _HEARD, heard))
        self._written = heard

    async def _taker(self, triples: Triples, rules: Sequence[str]) -> Client:
        """In whose name the event is written: the owner of the first rule who may read and write all of it."""
        owners = await self._core.store.read(
            lambda tx: [found.owner for rule in rules if (found := rulebook.find(tx, rule))]
        )
        for owner in dict.fromkeys(owners):
            client = self._core.clients.get(owner)
            if client is None or client.rights.publish is None or not self._core.grant(owner).is_everything:
                continue
            grant = client.rights.publish
            if all(covered(triple, grant) for triple in triples):
                return client
        raise Forbidden("no owner of a rule that hears it may read and write all of it")


def _is_our_own_change(record: Record) -> bool:
    return record.origin is None and tells_of_changes(record.source)


def _tell_of_a_bug(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (bug := task.exception()) is not None:
        _log.error("a bug: rules listen to events no longer: %s", bug, exc_info=bug)
