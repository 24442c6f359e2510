"""The event listener: published events become updates of the rules' repository, where they may trigger rules.

Such an event is an update like any other: one transaction that inserts all its triples, if they conform to the schema.
So rules mean the same whoever set them off, and the analysis holds. It is detached from the publication: the log is
read after the commit, and what goes wrong here is nobody's who published. How far it has come is written with what an
event has changed, so each is applied once, also after a crash.

Events of the repository's own changes are passed over: what they say has happened there, and triggered what it
could. So rules cannot set themselves off through the log. What other nodes' repositories have inserted is applied,
as far as it fits into this one; that goes on from node to node, and ends after so many.

Error handling: an event that does not conform, or that the rule's owner may not write, is left out with the reason. A
full disk is waited for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from triplewire.errors import BudgetExceeded, DiskFull, Forbidden, StoreError, TriplewireError
from triplewire.node.access.grants import covered
from triplewire.node.broker.events import Events
from triplewire.node.broker.state import BrokerState
from triplewire.node.living.graph import LivingGraph
from triplewire.node.living.publication import hops_of, inserted_by, is_change_source
from triplewire.node.living.store import LivingStore
from triplewire.node.living.transaction import ExecutedUpdate, UpdateRequest, execute_update
from triplewire.node.matching.catch_up_step import event_of
from triplewire.rdf.events import Event
from triplewire.rules.changes import Triples
from triplewire.rules.event_updates import insertion
from triplewire.store.disk import Connection
from triplewire.store.tables import log, metadata
from triplewire.store.tables.identities import Client
from triplewire.store.tables.log import Record
from triplewire.system.supervisor import Supervisor

PUBLISHER = "rules"
# Its name in the database is older than the listener's.
_POSITION = "rules heard"
_CHUNK = 128
# Events that trigger no rule are passed over in memory; this many again after a crash take no time.
_UNWRITTEN = 1_000
_FULL_SECONDS = 5.0
# Through so many repositories of other nodes goes what rules do because of each other.
MOST_HOPS = 32
_log = logging.getLogger(__name__)


class EventListener:
    """Follows the log for the rules that listen; `then` is called after each schedule. Made on an event loop."""

    def __init__(self, state: BrokerState, events: Events, store: LivingStore, then: Callable[[], None]) -> None:
        self._state = state
        self._events = events
        self._store = store
        self._then = then
        self._loop = asyncio.get_running_loop()
        self._wakeup = asyncio.Event()
        self.position = 0
        self._written = 0
        self._tasks = Supervisor()

    def begin(self) -> None:
        """Go on where the node stopped."""
        self._events.followers.append(self._notice)
        self._tasks.start("rules that listen", self._run())
        self._wakeup.set()

    async def end(self) -> None:
        """Stop after what is under way."""
        await self._tasks.stop()

    def wake(self) -> None:
        """Look whether a rule listens now."""
        self._wakeup.set()

    def _notice(self, records: Sequence[Record]) -> None:
        if records and self._store.has_event_triggers and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wakeup.set)

    async def _run(self) -> None:
        self.position = self._written = int(await self._state.store.read(lambda tx: metadata.get(tx, _POSITION)) or 0)
        while True:
            await self._wakeup.wait()
            self._wakeup.clear()
            try:
                while await self._apply_some():
                    pass
            except DiskFull as problem:
                _log.warning("rules that listen have to wait: %s", problem)
                await asyncio.sleep(_FULL_SECONDS)
                self._wakeup.set()
            except StoreError as problem:
                _log.error("rules listen to events no longer: %s", problem)
                return

    async def _apply_some(self) -> bool:
        """Apply the next events; whether there may be more."""
        since = await asyncio.to_thread(self._store.read, lambda living: living.triggers.earliest)
        if since is None:
            return False
        start = max(self.position, since)
        floor, records = await self._state.store.read(lambda tx: (log.floor(tx), log.after(tx, start, _CHUNK)))
        if start < floor:
            _log.warning("rules that listen have missed what retention removed: events %d to %d", start + 1, floor)
            self.position = floor
        for record in records:
            if not _is_our_own_change(record):
                await self._apply(record)
            self.position = record.position
        if self.position - self._written > _UNWRITTEN:
            await self._write()
        return bool(records)

    async def _apply(self, record: Record) -> None:
        event = await asyncio.to_thread(event_of, record)
        triples = inserted_by(event, record.source)
        owners = await asyncio.to_thread(
            self._store.read,
            lambda living: [living.owners[rule] for rule in living.triggers.triggered(triples, record.position)],
        )
        if not owners:
            return
        try:
            await self._update(event, triples, record, self._author(triples, owners))
        except StoreError:
            raise
        except Exception as problem:  # noqa: BLE001  whatever it is, the next events come
            bug = None if isinstance(problem, TriplewireError) else problem
            _log.warning("the event <%s> is not applied: %s", event.graph.value, problem, exc_info=bug)
            self.position = record.position
            await self._write()

    async def _update(self, event: Event, triples: Triples, record: Record, author: Client) -> None:
        is_change = is_change_source(record.source)
        hops = hops_of(record.source) + 1 if is_change else 0
        if hops > MOST_HOPS:
            raise BudgetExceeded(f"it has come through {MOST_HOPS} repositories, whose rules may trigger each other")

        def execute(tx: Connection, living: LivingGraph) -> ExecutedUpdate:
            # A publisher's event is inserted whole or not at all, but of another repository only some may fit here.
            update = insertion(event, living.repository.fitting(triples) if is_change else triples)
            request = UpdateRequest([update], author, PUBLISHER, hops)
            executed = execute_update(tx, living, request, self._state, self._events)
            metadata.put(tx, _POSITION, record.position)
            return executed

        future = self._store.submit(execute, lambda executed: self._events.committed(executed.accepted))
        executed = await asyncio.wrap_future(future)
        self._written = record.position
        self._then()
        for entry in executed.outcome.aborted:
            if entry.rule is None:
                _log.warning("the event <%s> is not applied: %s", event.graph.value, entry.error)

    async def _write(self) -> None:
        position = self.position
        await self._state.store.write(lambda tx: metadata.put(tx, _POSITION, position))
        self._written = position

    def _author(self, triples: Triples, owners: Sequence[str]) -> Client:
        """In whose name the event is written: the first owner of a rule who may read and write all of it."""
        for owner in dict.fromkeys(owners):
            client = self._state.clients.get(owner)
            if client is None or client.rights.publish is None or not self._state.grant(owner).is_everything:
                continue
            grant = client.rights.publish
            if all(covered(triple, grant) for triple in triples):
                return client
        raise Forbidden("no owner of a rule that it triggers may read and write all of it")


def _is_our_own_change(record: Record) -> bool:
    return record.origin is None and is_change_source(record.source)
