"""The views beside the living graph, on the writer's thread: told of each change in the transaction that keeps it.

What must hold: after a commit the set has every view that the registry has and that is not quarantined, each as of the
last change; and what each has said, from its whole answer on, makes up its answer now. So what a view says is written
together with the change that it is about, and taken back with it.

A view that cannot be kept up to date is quarantined in the same transaction, and says so; the others go on. One that is
ephemeral ends there.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from msgspec import Struct

from triplewire.errors import BudgetExceeded, InputError, LimitExceeded
from triplewire.evaluation.datasets import Dataset
from triplewire.languages.sparql.parsing.parser import parse_dataset_query
from triplewire.languages.sparql.syntax.datasets import DatasetQuery
from triplewire.node.broker.state import BrokerState
from triplewire.node.living.changes import Change
from triplewire.node.living.reasons import GraphReasons
from triplewire.node.views.answers import MOST_BYTES, difference, failure, whole_answer
from triplewire.node.views.ephemeral import Delivery, EphemeralView, EphemeralViews
from triplewire.node.views.windows import Windows
from triplewire.store.disk import Connection
from triplewire.store.tables import registry, views
from triplewire.store.tables.outbox import OutboxEntry
from triplewire.store.tables.registry import SubscriptionRecord
from triplewire.views.explanation import Explanation
from triplewire.views.view_set import ViewDelta, ViewFailed, ViewSet
from triplewire.wire.answers import Receipt
from triplewire.wire.reasons import AnswerReasons

_log = logging.getLogger(__name__)


class _Told(Struct, frozen=True):
    """The last change that views were told of, and those that could not be kept up with it."""

    change: Change
    dropped: tuple[str, ...]


class _Asking:
    """The views that want to know what their solutions stand on."""

    def __init__(self, state: BrokerState) -> None:
        self._state = state

    def __contains__(self, view: object) -> bool:
        # An ephemeral one has a name that is no number, and never asks.
        name = str(view)
        return name.isdigit() and self._state.asks_why(name)


class ViewFollower:
    """Every view of a node, by its number; those that are ephemeral by their name.

    `note` is called with what goes to outboxes later than its change, `deliver` with what goes to listeners.
    """

    def __init__(
        self,
        state: BrokerState,
        note: Callable[[Sequence[OutboxEntry]], None],
        deliver: Callable[[Sequence[Delivery]], None],
    ) -> None:
        self.ephemeral = EphemeralViews(deliver)
        self._state = state
        self._set = self._no_views()
        self._queries: dict[str, DatasetQuery] = {}
        self._windows = Windows(state, note)
        self._told: _Told | None = None
        # Those whose quarantine goes to the disk with the change at hand.
        self._failing: list[int] = []
        self._asking = _Asking(state)
        # Since the start: what views were told, and how many seconds that took.
        self.deltas = 0
        self.seconds = 0.0

    def __len__(self) -> int:
        return len(self._set)

    # Coming and going

    def add(
        self,
        tx: Connection,
        number: int,
        query: DatasetQuery,
        dataset: Dataset,
        change: int,
        reasons: GraphReasons | None = None,
    ) -> bytes:
        """Keep a view from now on. Returns what it says first: its whole answer, which is as of a change.

        With `reasons`, it says what that stands on. Nothing may fail behind it in the transaction but the disk.
        """
        time = self._state.clock.now().timestamp()
        views.begin(tx, number, time)
        return self._add(str(number), query, dataset, change, time, reasons)

    def add_ephemeral(self, view: EphemeralView, dataset: Dataset, change: int) -> bytes:
        """The same for one that is ephemeral."""
        view.evaluated = self._state.clock.now().timestamp()
        said = self._add(view.name, view.query, dataset, change, view.evaluated)
        self.ephemeral.keep(view)
        return said

    def remove(self, number: int) -> None:
        """Keep a view no longer; one that is not there is fine."""
        self._remove(str(number))

    def remove_ephemeral(self, view: EphemeralView) -> None:
        """The same for one that is ephemeral."""
        self.ephemeral.drop(view.name)
        self._remove(view.name)

    def _add(
        self,
        name: str,
        query: DatasetQuery,
        dataset: Dataset,
        change: int,
        time: float,
        reasons: GraphReasons | None = None,
    ) -> bytes:
        answer = self._set.add(name, query, dataset, time)
        why = None
        if reasons is not None:
            why = AnswerReasons(reasons.after(self._set.quads_behind(name, answer.items, dataset, time)))
        said = whole_answer(query, answer, change, why, MOST_BYTES)
        if len(said) > MOST_BYTES:
            self._set.remove(name)
            raise _too_much(len(said))
        self._queries[name] = query
        return said

    def _remove(self, name: str) -> None:
        if self._queries.pop(name, None) is not None and name in self._set:
            self._set.remove(name)

    def explain(self, number: int) -> Explanation:
        """How a view is kept up to date. Raises `UnknownSubscription` for one that is not."""
        return self._set.explain(str(number))

    # Changes

    def changed(self, tx: Connection, change: Change, dataset: Dataset) -> tuple[OutboxEntry, ...]:
        if change.event is None or not (change.added or change.removed):
            return ()
        began = self._state.clock.monotonic()
        items = self._set.apply(change, dataset, self._asking)
        failed = tuple(item.view for item in items if isinstance(item, ViewFailed))
        self._told = _Told(change, failed)
        entries = tuple(self._entries(tx, items, change, change.event))
        self.deltas += len(items)
        self.seconds += self._state.clock.monotonic() - began
        return entries

    def committed(self) -> None:
        failing, self._failing = self._failing, []
        for number in failing:
            # What failed in a transaction that was taken back has not failed.
            self._learn(self._state.store.read_blocking(partial(registry.find, number=number)))

    def rolled_back(self, position: int, dataset: Dataset) -> None:
        self.ephemeral.roll_back(position)
        told, self._told = self._told, None
        if told is None or told.change.position <= position:
            return
        undone = self._set.apply(told.change.reverse, dataset)
        lost = (*told.dropped, *(item.view for item in undone if isinstance(item, ViewFailed)))
        # What asks for the time was now evaluated at the time of the change.
        timed = self._set.timed
        evaluated = self._state.store.read_blocking(views.evaluated) if lost or timed else {}
        for name in timed:
            self._set.remove(name)
        for name in (*lost, *timed):
            if name in self.ephemeral:
                self._restore_ephemeral(self.ephemeral[name], dataset)
            else:
                self._restore(name, self._queries[name], dataset, evaluated.get(int(name), 0.0))

    def reloaded(self, tx: Connection, dataset: Dataset) -> None:
        self._set, self._queries, self._told = self._no_views(), {}, None
        # Nothing that was said and not told is on the disk.
        self.ephemeral.roll_back(-1)
        for view in self.ephemeral:
            self._restore_ephemeral(view, dataset)
        evaluated = views.evaluated(tx)
        for record in registry.everyone(tx):
            if record.is_view and record.quarantined is None:
                try:
                    query = parse_dataset_query(record.text)
                except InputError as problem:
                    # A query that an earlier version took, and this one refuses, keeps nobody from starting.
                    self._quarantine_later(record.number, str(problem))
                    continue
                self._restore(str(record.number), query, dataset, evaluated.get(record.number, 0.0))
        self._windows.begin(tx)

    # Private

    def _no_views(self) -> ViewSet:
        return ViewSet(owner_of=self._owner_of)

    def _owner_of(self, view: str) -> str:
        if view in self.ephemeral:
            return self.ephemeral[view].owner
        record = self._state.index.get(int(view))
        return view if record is None else record.owner

    def _entries(
        self, tx: Connection, items: Sequence[ViewDelta | ViewFailed], change: Change, event: Receipt
    ) -> Iterator[OutboxEntry]:
        for item in items:
            if item.view in self.ephemeral:
                self._say_ephemeral(item, self.ephemeral[item.view], change)
                continue
            number = int(item.view)
            record = self._state.index.get(number)
            if record is None:
                continue
            said = self._said(item, record.owner, change, is_full=self._state.is_over_quota(number))
            if isinstance(said, ViewFailed):
                yield OutboxEntry(number, event.position, event.event, self._failed(tx, number, said.reason, change))
                continue
            if self._set.is_timed(item.view):
                views.set_evaluated(tx, number, change.time)
            if record.options.window is not None:
                self._windows.join(tx, number, record.options.window, event.position, said)
            else:
                yield OutboxEntry(number, event.position, event.event, said)

    def _say_ephemeral(self, item: ViewDelta | ViewFailed, view: EphemeralView, change: Change) -> None:
        # What waits for its listener is the listener's to bound.
        said = self._said(item, view.owner, change, is_full=False)
        if isinstance(said, ViewFailed):
            self._drop(view.name)
            self.ephemeral.say(view.name, change.position, failure(said.reason, change.position), is_last=True)
            return
        time = change.time if self._set.is_timed(view.name) else None
        self.ephemeral.say(view.name, change.position, said, time=time)

    def _said(self, item: ViewDelta | ViewFailed, owner: str, change: Change, *, is_full: bool) -> bytes | ViewFailed:
        """What a view says, or why it says no more."""
        if isinstance(item, ViewFailed):
            return item
        query, why = self._queries[item.view], _why(item, change.reasons)
        said = difference(query, item.added, item.removed, change.position, why, MOST_BYTES)
        reason = self._refusal(owner, len(said), is_full=is_full)
        return said if reason is None else ViewFailed(item.view, reason)

    def _refusal(self, owner: str, size: int, *, is_full: bool) -> str | None:
        if not self._state.grant(owner).is_everything:
            return "its owner may no longer read everything"
        if is_full:
            return "more waits for its owner than may"
        return str(_too_much(size)) if size > MOST_BYTES else None

    def _drop(self, name: str) -> None:
        """Keep a view no longer, unless the change is taken back."""
        if name in self._set:
            self._set.remove(name)
            self._told = self._told and _Told(self._told.change, (*self._told.dropped, name))

    def _failed(self, tx: Connection, number: int, reason: str, change: Change) -> bytes:
        """Quarantine a view; what is known of it in memory follows when that is on the disk."""
        self._drop(str(number))
        registry.quarantine(tx, number, reason)
        views.take_pending(tx, number)
        self._failing.append(number)
        return failure(reason, change.position)

    def _learn(self, record: SubscriptionRecord | None) -> None:
        if record is not None and record.quarantined is not None:
            _log.warning("the view %s of %s is quarantined: %s", record.name, record.owner, record.quarantined)
            self._state.index.change(record.number, quarantined=record.quarantined)

    def _restore(self, name: str, query: DatasetQuery, dataset: Dataset, time: float) -> None:
        """Keep a view that was there before; what its answer is, it has said."""
        self._queries[name] = query
        try:
            self._set.restore(name, query, dataset, time)
        except (BudgetExceeded, RecursionError) as problem:
            self._quarantine_later(int(name), str(problem))

    def _restore_ephemeral(self, view: EphemeralView, dataset: Dataset) -> None:
        self._queries[view.name] = view.query
        try:
            self._set.restore(view.name, view.query, dataset, view.evaluated)
        except (BudgetExceeded, RecursionError) as problem:
            self.remove_ephemeral(view)
            self.ephemeral.tell(view, failure(str(problem), 0))

    def _quarantine_later(self, number: int, reason: str) -> None:
        def work(tx: Connection) -> SubscriptionRecord | None:
            registry.quarantine(tx, number, reason)
            return registry.find(tx, number)

        self._state.store.submit(work, self._learn)


def _why(item: ViewDelta, reasons: GraphReasons | None) -> AnswerReasons | None:
    """What a difference stands on, if that was asked for."""
    if reasons is None or item.added_from is None or item.removed_from is None:
        return None
    return AnswerReasons(added=reasons.after(item.added_from), removed=reasons.before(item.removed_from))


def _too_much(size: int) -> LimitExceeded:
    wanted = f"an answer of at most {MOST_BYTES:,} bytes"
    return LimitExceeded("view_bytes", MOST_BYTES, wanted=wanted, found=f"{size:,}")
