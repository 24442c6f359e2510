"""Hearing: published events come into the rules' repository, where a rule that listens may be triggered by them.

Such an event is an update like any other: one transaction that inserts all its triples, if they conform to the schema.
So rules mean the same whoever set them off, and the analysis holds. It is detached from the publication: the log is
read after the commit, and what goes wrong here is nobody's who published. How far it has come is written with what an
event has changed, so each is taken once, also after a crash.

Events that tell of the repository's own changes are not heard: what they tell has happened there, and triggered what it
could. So rules cannot set themselves off through the log.

Error handling: an event that does not conform, or that the rule's owner may not write, is left out with the reason. A
full disk is waited for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress

from triplewire.errors import DiskFull, Forbidden, StoreError, TriplewireError
from triplewire.node.catching_up import event_of
from triplewire.node.core import Core
from triplewire.node.grants import covered
from triplewire.node.intake import Intake
from triplewire.node.rules_publication import Publication, tells_of_changes
from triplewire.node.rules_taking import insertion
from triplewire.rdf.events import Event
from triplewire.rules.execution import Outcome
from triplewire.rules.hosting import RuleHost
from triplewire.store import facts, log, rulebook
from triplewire.store.disk import Connection
from triplewire.store.identities import Grant
from triplewire.store.log import Record

PUBLISHER = "rules"
_HEARD = "rules heard"
_CHUNK = 128
# Events that nobody listens to are passed over in memory; this many again after a crash take no time.
_UNWRITTEN = 1_000
_FULL_SECONDS = 5.0
_log = logging.getLogger(__name__)


class Hearing:
    """Follows the log for the rules that listen. Made on an event loop."""

    def __init__(self, core: Core, intake: Intake, host: RuleHost) -> None:
        self._core = core
        self._intake = intake
        self._host = host
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self.position = 0
        self._written = 0
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Go on where the node stopped."""
        self._intake.followers.append(self._notice)
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
        self.position = self._written = int(await self._core.read(lambda tx: facts.get(tx, _HEARD)) or 0)
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
        floor, records = await self._core.read(lambda tx: (log.floor(tx), log.after(tx, start, _CHUNK)))
        if start < floor:
            _log.warning("rules that listen have missed what retention removed: events %d to %d", start + 1, floor)
            self.position = floor
        for record in records:
            if not tells_of_changes(record.source):
                await self._hear(record)
            self.position = record.position
        if self.position - self._written > _UNWRITTEN:
            await self._write()
        return bool(records)

    async def _hear(self, record: Record) -> None:
        event = await asyncio.to_thread(event_of, record)
        rules = await asyncio.to_thread(self._host.hearing, event.triples, record.position)
        if not rules:
            return
        try:
            await self._take(event, record.position, await self._grant(event, rules))
        except StoreError:
            raise
        except Exception as problem:  # noqa: BLE001  whatever it is, the next events are to be heard
            bug = None if isinstance(problem, TriplewireError) else problem
            _log.warning("the event <%s> is not taken: %s", event.graph.value, problem, exc_info=bug)
            self.position = record.position
            await self._write()

    async def _take(self, event: Event, position: int, grant: Grant) -> None:
        published = Publication(self._core, self._intake, PUBLISHER, grant)

        def write(connection: Connection, outcome: Outcome) -> None:
            published.write(connection, outcome)
            facts.put(connection, _HEARD, position)

        future = self._host.execute([insertion(event)], write, published.committed)
        outcome = await asyncio.wrap_future(future)
        self._written = position
        for entry in outcome.aborted:
            if entry.rule is None:
                _log.warning("the event <%s> is not taken: %s", event.graph.value, entry.error)

    async def _write(self) -> None:
        heard = self.position
        await self._core.write(lambda tx: facts.put(tx, _HEARD, heard))
        self._written = heard

    async def _grant(self, event: Event, rules: Sequence[str]) -> Grant:
        """Under which grant the event is written: that of the first rule whose owner may read and write all of it."""
        owners = await self._core.read(lambda tx: [found.owner for rule in rules if (found := rulebook.find(tx, rule))])
        for owner in dict.fromkeys(owners):
            client = self._core.clients.get(owner)
            if client is None or client.rights.publish is None or not self._core.grant(owner).is_everything:
                continue
            grant = client.rights.publish
            if all(covered(triple, grant) for triple in event.triples):
                return grant
        raise Forbidden("no owner of a rule that hears it may read and write all of it")


def _tell_of_a_bug(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (bug := task.exception()) is not None:
        _log.error("a bug: rules listen to events no longer: %s", bug, exc_info=bug)
