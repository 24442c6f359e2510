"""Views of a broker: each is a subscription of its own language, whose notifications are what changed.

So cursors, pages, streams, webhooks, dead letters, quotas and retention are those of subscriptions. A view is never
given to what matches events. Its start is published as an event, `<event> a tw:ViewStarted`, in the transaction that
registers it: the whole answer, which is its first notification, waits in the outbox as being about that one.

An ephemeral view has none of that. Whoever opens it listens, and has to close it.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from itertools import count

from msgspec import UNSET, Struct
from msgspec.structs import replace

from triplewire.errors import EventConflict, LimitExceeded, UnknownSubscription
from triplewire.languages.sparql.parsing.parser import parse_dataset_query
from triplewire.languages.sparql.syntax.datasets import DatasetQuery
from triplewire.node.broker.events import Events
from triplewire.node.broker.publish_step import PublishResult, Submission, accept
from triplewire.node.broker.state import BrokerState
from triplewire.node.broker.subscriptions import Subscriptions, require_same
from triplewire.node.living.graph import LivingGraph
from triplewire.node.living.reasons import GraphReasons
from triplewire.node.living.service import require_reader
from triplewire.node.living.store import LivingStore
from triplewire.node.views.answers import failure, said_of
from triplewire.node.views.ephemeral import EphemeralView, heard
from triplewire.node.views.follower import ViewFollower
from triplewire.rdf.events import Event
from triplewire.rdf.parsing.event_names import mint_event_iri
from triplewire.rdf.terms import RDF, TW, Triple
from triplewire.store.disk import Connection
from triplewire.store.tables import log, outbox, registry
from triplewire.store.tables.identities import Client
from triplewire.store.tables.outbox import OutboxEntry
from triplewire.store.tables.registry import VIEW, SubscriptionOptions, SubscriptionRecord
from triplewire.system.collector import Growth
from triplewire.views.explanation import Explanation
from triplewire.views.nearest_miss import nearest_miss
from triplewire.views.view_set import ViewSet
from triplewire.wire.answers import Receipt
from triplewire.wire.reasons import AnswerReasons, ExplainedAnswer

STARTED = TW["ViewStarted"]
_SOURCE = TW["view:"].value
# What is only looked at may take as much as a change may for a view: nobody can write meanwhile.
_EXPLAIN_STEPS = 1_000_000
_MOST_EXPLAINED = 10_000
# So many views at a time are told to last; to look at them takes a tenth of a second.
_PASSED_OVER = 5_000


class _Started(Struct, frozen=True):
    """A view that was registered; `accepted` is for the broker after the commit."""

    record: SubscriptionRecord
    accepted: PublishResult


class Views:
    """The views of a broker, for callers on the event loop."""

    def __init__(
        self,
        state: BrokerState,
        events: Events,
        subscriptions: Subscriptions,
        store: LivingStore,
        follower: ViewFollower,
    ) -> None:
        self.follower = follower
        self._state = state
        self._events = events
        self._subscriptions = subscriptions
        self._store = store
        self._open: defaultdict[str, set[EphemeralView]] = defaultdict(set)
        self._numbers = count(1)
        self._growth = Growth(_PASSED_OVER)
        subscriptions.endings.append(follower.remove)
        subscriptions.holdings.append(lambda owner: len(self._open.get(owner, ())))
        store.listeners.append(follower.ephemeral.committed)

    async def put(self, client: Client, name: str, text: str, options: SubscriptionOptions) -> SubscriptionRecord:
        """Keep a view. The same query under the same name only changes options; another one is refused."""
        self._state.know(client)
        require_reader(client)
        known = self._state.index.named(client.id, name)
        if known is not None:
            require_same(known, VIEW, text)
            return await self._subscriptions.set_options(known, options)
        self._subscriptions.require_room(client)
        query = await asyncio.to_thread(parse_dataset_query, text)
        fresh = SubscriptionRecord(0, client.id, name, VIEW, text, options, 0, None, 0)
        started = await asyncio.wrap_future(
            self._store.submit_alone(partial(self._register, query, fresh), self._registered)
        )
        return started.record

    async def reset(self, number: int) -> SubscriptionRecord:
        """Begin a view again: what waits for it is dropped, and its whole answer is told. Ends its quarantine."""
        known = self._state.index.require(number)
        query = await asyncio.to_thread(parse_dataset_query, known.text)

        def work(tx: Connection, living: LivingGraph) -> _Started:
            kept = registry.find(tx, number)
            if kept is None:
                raise UnknownSubscription(wanted="a view to begin again", found="that it has just been deleted")
            return self._start(tx, living, query, kept, lambda tx, fresh: registry.replace(tx, number, fresh))

        def then(started: _Started) -> None:
            self._subscriptions.ended(number)
            self._registered(started)

        return (await asyncio.wrap_future(self._store.submit_alone(work, then))).record

    async def explain(self, number: int) -> Explanation:
        """How a view is kept up to date."""
        self._state.index.require(number)
        return await asyncio.wrap_future(self._store.submit(lambda tx, living: self.follower.explain(number)))

    async def reasons(self, client: Client, text: str) -> ExplainedAnswer:
        """The answer to a query as it is now, and what each item of it stands on.

        Raises `BudgetExceeded` where that is more work than a change may make for a view.
        """
        self._state.know(client)
        require_reader(client)
        self._events.buckets.take(client, 1)
        query = await asyncio.to_thread(parse_dataset_query, text)
        return await asyncio.wrap_future(self._store.submit(partial(self._explained, query)))

    def require(self, owner: str, name: str) -> SubscriptionRecord:
        """An owner's view, or `UnknownSubscription`."""
        record = self._state.index.named(owner, name)
        if record is None or not record.is_view:
            raise UnknownSubscription(wanted=f"the view {name!r}", found="none of that name")
        return record

    def of(self, owner: str | None = None) -> list[SubscriptionRecord]:
        """An owner's views, oldest first, or everybody's."""
        records = self._state.index if owner is None else self._state.index.of(owner)
        return [record for record in records if record.is_view]

    # Ephemeral ones

    async def open(self, client: Client, query: DatasetQuery, listen: Callable[[bytes], None]) -> EphemeralView:
        """Keep a view until it is closed. `listen` hears its whole answer before this returns, and then each change.

        It is called on the event loop, and must not raise. What it hears is what other views say; after a failure,
        nothing more.
        """
        self._state.know(client)
        require_reader(client)
        self._subscriptions.require_room(client)
        view = EphemeralView(f"~{next(self._numbers)}", client.id, query, listen)
        self._open[client.id].add(view)
        try:
            await asyncio.wrap_future(self._store.submit_alone(partial(self._add, view), partial(self._added, view)))
        except BaseException:
            self.close([view])
            raise
        return view

    def close(self, views: Iterable[EphemeralView]) -> None:
        """Keep views no longer; nobody listens to them from now on. Ones that have ended are fine."""
        ended = [view for view in views if view.is_open]
        for view in ended:
            view.is_open = False
            self._open[view.owner].discard(view)
            if not self._open[view.owner]:
                del self._open[view.owner]
        if ended:
            self._store.submit(lambda tx, living: self._forget(ended))

    def close_all(self, owner: str, reason: str) -> None:
        """An owner's ephemeral views end, and say why."""
        ended = [*self._open.get(owner, ())]
        heard([(view, failure(reason, self._store.head)) for view in ended])
        self.close(ended)

    @property
    def ephemeral(self) -> int:
        """How many are open."""
        return sum(map(len, self._open.values()))

    # Private: on the writer's thread

    def _add(self, view: EphemeralView, tx: Connection, living: LivingGraph) -> bytes:
        return self.follower.add_ephemeral(view, living.dataset, living.position)

    def _added(self, view: EphemeralView, said: bytes) -> None:
        self.follower.ephemeral.tell(view, said)

    def _forget(self, views: Iterable[EphemeralView]) -> None:
        for view in views:
            self.follower.remove_ephemeral(view)

    def _explained(self, query: DatasetQuery, tx: Connection, living: LivingGraph) -> ExplainedAnswer:
        alone, time = ViewSet(start_steps=_EXPLAIN_STEPS), self._state.clock.now().timestamp()
        answer = alone.add("asked", query, living.dataset, time)
        if len(answer.items) > _MOST_EXPLAINED:
            wanted = f"an answer of at most {_MOST_EXPLAINED:,} solutions or triples to explain; LIMIT gives fewer"
            raise LimitExceeded("explained", _MOST_EXPLAINED, wanted=wanted, found=f"{len(answer.items):,}")
        quads = alone.quads_behind("asked", answer.items, living.dataset, time)
        why = AnswerReasons(GraphReasons(tx, living.repository).after(quads))
        nearest = UNSET if answer.items else nearest_miss(query, living.dataset, time)
        return ExplainedAnswer(living.position, answer.variables, said_of(query, answer), why, nearest)

    def _register(
        self, query: DatasetQuery, fresh: SubscriptionRecord, tx: Connection, living: LivingGraph
    ) -> _Started:
        known = self._state.index.named(fresh.owner, fresh.name)
        if known is not None:
            # Somebody was faster.
            require_same(known, fresh.language, fresh.text)
            return _Started(known, PublishResult(()))
        return self._start(tx, living, query, fresh, registry.insert)

    def _start(
        self,
        tx: Connection,
        living: LivingGraph,
        query: DatasetQuery,
        fresh: SubscriptionRecord,
        keep: Callable[[Connection, SubscriptionRecord], SubscriptionRecord],
    ) -> _Started:
        head = log.head(tx)
        record = keep(tx, replace(fresh, created=head, cursor=head, gap=0, quarantined=None))
        accepted, receipt = self._publish_start(tx, record)
        reasons = GraphReasons(tx, living.repository) if record.options.why else None
        answer = self.follower.add(tx, record.number, query, living.dataset, living.position, reasons)
        entry = OutboxEntry(record.number, receipt.position, receipt.event, answer)
        outbox.put(tx, [entry])
        return _Started(record, replace(accepted, entries=(*accepted.entries, entry)))

    def _publish_start(self, tx: Connection, record: SubscriptionRecord) -> tuple[PublishResult, Receipt]:
        time, source = self._state.clock.now(), f"{_SOURCE}{record.number}"
        name = mint_event_iri(source, time, [str(STARTED)])
        event = Event.from_triples(name, [Triple(name, RDF["type"], STARTED)], source=source, time=time)
        submission = Submission(record.owner, [event], self._state.date.time())
        accepted = accept(tx, self._state.matchers, [submission], self._events.admission)
        [receipts] = accepted.outcomes
        if isinstance(receipts, EventConflict):
            raise receipts
        return accepted, receipts[0]

    def _registered(self, started: _Started) -> None:
        self._state.index.put(started.record)
        self._events.committed(started.accepted)
        self._growth.note()
