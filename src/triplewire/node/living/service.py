"""The living graph of a broker: changed in transactions that survive, whose changes are published.

Everything that changes it goes through the living store, on the writer's thread, one request after the other: each is
judged on the state that all before it have made, so that no two conflict.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import msgspec
from msgspec import Struct

from triplewire.errors import EventConflict, Forbidden, UnknownGraph
from triplewire.languages.sparql.syntax.updates import UpdateOperation
from triplewire.node.access.grants import readable, require_publishable
from triplewire.node.broker.events import Events
from triplewire.node.broker.publish_step import PublishResult, Submission, accept
from triplewire.node.broker.state import BrokerState
from triplewire.node.living import journal
from triplewire.node.living.edits import DEFAULT, GraphName, asserted_in, in_graph, merged, patching, replacing
from triplewire.node.living.graph import LivingGraph
from triplewire.node.living.sparql_update import prepared, updates_of
from triplewire.node.living.store import LivingStore, Work
from triplewire.node.living.transaction import ExecutedUpdate, UpdateRequest, execute_update
from triplewire.node.rules.idempotency import IdempotencyKey
from triplewire.node.rules.rights import require_author
from triplewire.rdf.events import Event
from triplewire.rdf.patches import Patch
from triplewire.rdf.terms import NamedNode, Triple
from triplewire.rules.changes import Changes, Edits
from triplewire.rules.execution import AnyUpdate, DatasetAction, DatasetUpdate, Status
from triplewire.rules.execution.deadline import Interrupt, never
from triplewire.store.disk import Connection
from triplewire.store.tables import living_graph, log
from triplewire.store.tables.identities import Client
from triplewire.store.tables.living_graph import ChangeRecord
from triplewire.store.tables.log import Record
from triplewire.wire.answers import ChangeReceipt, Receipt

T = TypeVar("T")
Plan = Callable[[LivingGraph], Sequence[AnyUpdate]]
# Quads looked at and solutions made by one WHERE. Time is short as well: nobody can write meanwhile.
WHERE_STEPS = 5_000_000
_PAGE_BYTES = 16 << 20


class Applied(Struct, frozen=True):
    """What came of a request; no changes, if it is the repetition of one that was answered before."""

    receipt: ChangeReceipt
    changes: Changes = Changes()


class LivingService:
    """The living graph, for callers on the event loop. Made there."""

    def __init__(self, state: BrokerState, events: Events, store: LivingStore) -> None:
        self._state = state
        self._events = events
        self._store = store
        self._loop = asyncio.get_running_loop()
        self._moved = asyncio.Event()
        # How often it was changed since the start, and how many seconds that took on the writer's thread.
        self.updates = 0
        self.seconds = 0.0
        store.listeners.append(self._notice)

    @property
    def store(self) -> LivingStore:
        return self._store

    # Changing

    async def update(
        self, client: Client, operations: Sequence[UpdateOperation], key: IdempotencyKey | None = None
    ) -> ChangeReceipt:
        """Execute a SPARQL Update request, as one transaction."""
        return (await self.apply(client, operations, key)).receipt

    async def apply(
        self, client: Client, operations: Sequence[UpdateOperation], key: IdempotencyKey | None = None
    ) -> Applied:
        """The same; also says what has changed."""
        ready = [prepared(operation) for operation in operations]

        def plan(living: LivingGraph) -> list[DatasetUpdate]:
            return updates_of(ready, living.repository, WHERE_STEPS, self._state.change_quads, "update")

        return await self._execute(client, plan, key)

    async def replace_graph(
        self, client: Client, graph: GraphName, triples: Sequence[Triple], key: IdempotencyKey | None = None
    ) -> ChangeReceipt:
        """Give a graph other content."""
        return await self._edit(
            client, lambda living: replacing(living.repository, graph, triples, self._state.change_quads), key, graph
        )

    async def add_to_graph(
        self, client: Client, graph: GraphName, triples: Iterable[Triple], key: IdempotencyKey | None = None
    ) -> ChangeReceipt:
        """Add triples to a graph."""
        quads = [in_graph(triple, graph) for triple in triples]
        return await self._edit(client, lambda _: patching(quads, (), self._state.change_quads), key, graph)

    async def delete_graph(self, client: Client, graph: GraphName, key: IdempotencyKey | None = None) -> ChangeReceipt:
        """Remove everything that is asserted in a graph. Raises `UnknownGraph` for a named one that is not there."""

        def edits(living: LivingGraph) -> Edits:
            if isinstance(graph, NamedNode) and next(asserted_in(living.repository, graph), None) is None:
                raise UnknownGraph(wanted=f"the graph <{graph.value}>", found="none of that name")
            return replacing(living.repository, graph, (), self._state.change_quads)

        return await self._edit(client, edits, key)

    async def patch(self, client: Client, patches: Sequence[Patch], key: IdempotencyKey | None = None) -> ChangeReceipt:
        """Add and remove quads of any graphs; several patches, one after the other, are one transaction."""

        def update(patch: Patch) -> DatasetUpdate:
            most = self._state.change_quads
            action = DatasetAction(lambda _: patching(patch.added, patch.removed, most))
            return DatasetUpdate(action=action, transaction="patch")

        return (await self._execute(client, lambda _: [update(patch) for patch in patches], key)).receipt

    async def publish(
        self, client: Client, events: Sequence[Event], *, key: str | None = None, digest: bytes = b""
    ) -> tuple[Receipt, ...]:
        """Publish events, and let the graph of each be what it says; in one transaction.

        One that was published with other content stays in the log as it was, and its graph is replaced.
        """
        self._state.know(client)
        for event in events:
            require_publishable(event, client.rights.publish)
        self._events.buckets.take(client, len(events))
        if self._events.replication is not None:
            self._events.replication.require_room()
        kept = None if key is None else IdempotencyKey(client.id, key, digest)
        receipts, _ = await self._write(
            lambda tx, living: self._publish(tx, living, client, events, kept),
            lambda done: self._events.committed(done[1]),
        )
        if self._events.replication is not None:
            await self._events.replication.stored(receipts)
        return receipts

    # Reading

    async def changes(self, client: Client, after: int, limit: int) -> tuple[list[ChangeRecord], int, int]:
        """Changes that follow a position, as many as fit; and the floor and the head of the journal."""
        require_reader(client)

        def page(tx: Connection) -> tuple[list[ChangeRecord], int, int]:
            floor = living_graph.floor(tx)
            count = living_graph.fitting(tx, max(after, floor), limit, _PAGE_BYTES)
            return living_graph.after(tx, after, count), floor, living_graph.head(tx)

        return await self._state.store.read(page)

    async def wait(self, after: int, timeout: float) -> bool:
        """Wait for a change that follows a position; False if the time ran out first, or the node stops."""
        try:
            async with asyncio.timeout(timeout):
                while self._store.head <= after and self._state.is_open:
                    await self._moved.wait()
        except TimeoutError:
            return False
        return self._store.head > after

    async def forget(self, age: float | None, size: int | None) -> None:
        """Drop changes, and the firings in them, that are older than that or beyond so many bytes; the graph stays."""
        if age is None and size is None:
            return
        before = None if age is None else self._state.clock.now().timestamp() - age
        last = await self._state.store.read(lambda tx: living_graph.last_due(tx, before, size))
        if last:
            await self._state.store.write(lambda tx: journal.forget(tx, last))

    def end(self) -> None:
        """Wake those who wait: the node stops."""
        self._store.compactions.end()
        self._wake()

    # Private

    async def _edit(
        self,
        client: Client,
        edits: Callable[[LivingGraph], Edits],
        key: IdempotencyKey | None,
        graph: GraphName = DEFAULT,
    ) -> ChangeReceipt:
        def plan(living: LivingGraph) -> list[DatasetUpdate]:
            return [DatasetUpdate(action=DatasetAction(lambda _: edits(living)), transaction="edit")]

        return (await self._execute(client, plan, key, graph)).receipt

    async def _execute(
        self, client: Client, plan: Plan, key: IdempotencyKey | None, graph: GraphName = DEFAULT
    ) -> Applied:
        """The receipt comes when the change is on the disk; under a key, it is the one that was given first."""
        require_author(client)
        self._state.know(client)
        self._events.buckets.take(client, 1)

        def execute(tx: Connection, living: LivingGraph) -> tuple[Applied, PublishResult]:
            answered = None if key is None else key.find_answer(tx)
            if answered is not None:
                return Applied(msgspec.json.decode(answered, type=ChangeReceipt)), PublishResult(())
            is_new = isinstance(graph, NamedNode) and next(asserted_in(living.repository, graph), None) is None
            with withdrawal.executing():
                executed = self._executed(tx, living, client, plan, withdrawal.check)
            receipt = _receipt(executed, is_new)
            if key is not None:
                key.keep_answer(tx, msgspec.json.encode(receipt), self._state.date.time())
            return Applied(receipt, executed.outcome.changes), executed.accepted

        with self._store.pending.entered(client.id, None if key is None else key.key) as withdrawal:
            applied, _ = await self._write(execute, lambda done: self._events.committed(done[1]))
        return applied

    def _executed(
        self, tx: Connection, living: LivingGraph, client: Client, plan: Plan, interrupt: Interrupt = never
    ) -> ExecutedUpdate:
        """All of it, or the reason why nothing has changed."""
        began = self._state.clock.monotonic()
        request = UpdateRequest(plan(living), client, client.id, interrupt=interrupt)
        executed = execute_update(tx, living, request, self._state, self._events)
        for entry in executed.outcome.aborted:
            if entry.cause is None and entry.error is not None:
                raise entry.error
        self.updates += 1
        self.seconds += self._state.clock.monotonic() - began
        return executed

    def _publish(
        self, tx: Connection, living: LivingGraph, client: Client, events: Sequence[Event], key: IdempotencyKey | None
    ) -> tuple[tuple[Receipt, ...], PublishResult]:
        answered = None if key is None else key.find_answer(tx)
        if answered is not None:
            return msgspec.json.decode(answered, type=tuple[Receipt, ...]), PublishResult(())
        known = log.find_all(tx, [event.graph.value for event in events])
        fresh = [event for event in events if not _is_replacement(event, known)]
        submission = Submission(client.id, fresh, self._state.date.time())
        accepted = accept(tx, self._state.matchers, [submission], self._events.admission)
        [receipts] = accepted.outcomes
        if isinstance(receipts, EventConflict):
            raise receipts
        executed = self._executed(tx, living, client, lambda living: self._merging(living, events))
        positions = {receipt.event: receipt.position for receipt in receipts}
        given = tuple(
            Receipt(event.graph.value, positions.get(event.graph.value) or known[event.graph.value].position)
            for event in events
        )
        if key is not None:
            key.keep_answer(tx, msgspec.json.encode(given), self._state.date.time())
        return given, _together(accepted, executed.accepted)

    def _merging(self, living: LivingGraph, events: Sequence[Event]) -> list[DatasetUpdate]:
        def update(event: Event) -> DatasetUpdate:
            most = self._state.change_quads
            action = DatasetAction(lambda _: replacing(living.repository, event.graph, merged(event), most))
            return DatasetUpdate(action=action, transaction="merge")

        return [update(event) for event in events]

    async def _write(self, work: Work[T], then: Callable[[T], None] = lambda _: None) -> T:
        return await asyncio.wrap_future(self._store.submit(work, then))

    def _notice(self) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._moved.set()
        self._moved = asyncio.Event()


def require_reader(client: Client) -> None:
    """Raise `Forbidden` unless the client may read the living graph, which is everything or nothing (row A15)."""
    if not readable(client).is_everything:
        raise Forbidden(wanted="a client that may read everything", found="one with a limited grant")


def _is_replacement(event: Event, known: dict[str, Record]) -> bool:
    record = known.get(event.graph.value)
    return record is not None and record.nquads != event.nquads


def _together(first: PublishResult, second: PublishResult) -> PublishResult:
    return PublishResult(
        (*first.outcomes, *second.outcomes), (*first.records, *second.records), (*first.entries, *second.entries)
    )


def _receipt(executed: ExecutedUpdate, is_new: bool) -> ChangeReceipt:
    changes, named = executed.outcome.changes, executed.outcome.changes.edits.named
    fired = (entry.rule for entry in executed.outcome.firings if entry.status is Status.COMMITTED)
    return ChangeReceipt(
        position=executed.schedule,
        added=len(changes.inserted) + len(named.inserted),
        removed=len(changes.deleted) + len(named.deleted),
        created=is_new and bool(named.inserted),
        events=tuple(Receipt(each.event, each.position) for each in executed.events),
        fired=tuple(rule for rule in fired if rule is not None),
    )
