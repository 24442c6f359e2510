"""The start: everything that is kept in memory is read from the folder once, at the start."""

from __future__ import annotations

import logging

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import InputError
from triplewire.matching import Matcher
from triplewire.matching.chains.anchors import is_unindexed
from triplewire.node.broker.state import BrokerState
from triplewire.node.broker.subscriptions import TAXONOMY
from triplewire.node.matching import snapshots
from triplewire.node.matching.catch_up import parsed
from triplewire.node.matching.live_matchers import LiveMatchers
from triplewire.node.matching.snapshots import Snapshot
from triplewire.rdf.events import Event
from triplewire.store.disk import Connection
from triplewire.store.tables import identities, metadata, outbox, registry
from triplewire.store.tables.identities import Grant
from triplewire.store.tables.registry import SubscriptionRecord

_log = logging.getLogger(__name__)


def load(state: BrokerState, tx: Connection) -> None:
    """Read clients, taxonomy and subscriptions, and take up the date."""
    state.date.resume(tx)
    text = metadata.get(tx, TAXONOMY)
    state.taxonomy = None if text is None else Taxonomy.parse(text.encode(), "ntriples")
    state.matchers.set_taxonomy(state.taxonomy)
    state.log_bytes = int(tx.execute("SELECT coalesce(sum(length(nquads)), 0) FROM events").fetchone()[0])
    state.clients |= {client.id: client for client in identities.everyone(tx).values()}
    _load_subscriptions(state, tx)


def _load_subscriptions(state: BrokerState, tx: Connection) -> None:
    everyone = registry.everyone(tx)
    records = [record for record in everyone if not record.is_view]
    snapshot = snapshots.read(state.store.folder, state.taxonomy, records)
    sizes, lasts = outbox.sizes(tx), outbox.lasts(tx)
    for record in everyone:
        state.index.put(record)
        progress = state.index.progress(record.number)
        progress.bytes_waiting = sizes.get(record.number, 0)
        progress.latest = lasts.get(record.number, 0)
    for record in records:
        row, progress = snapshot.rows.get(record.number), state.index.progress(record.number)
        progress.is_unindexed = _is_unindexed(state, record) if row is None else row.is_unindexed
    live = [state.index.require(record.number) for record in records]
    live = [record for record in live if record.is_live and record.quarantined is None]
    _adopt(state, snapshot, live)
    for record in live:
        if str(record.number) not in state.matchers:
            _add(state, record)


def _is_unindexed(state: BrokerState, record: SubscriptionRecord) -> bool:
    try:
        return is_unindexed(parsed(record))
    except InputError as problem:
        return _refuse(state, record, problem)


def _add(state: BrokerState, record: SubscriptionRecord) -> None:
    try:
        state.matchers.add(parsed(record), state.grant(record.owner))
    except InputError as problem:
        _refuse(state, record, problem)


def _refuse(state: BrokerState, record: SubscriptionRecord, problem: InputError) -> bool:
    """A query that an earlier version took, and this one refuses, keeps nobody from starting."""
    _log.warning("the subscription %s of %s is quarantined: %s", record.name, record.owner, problem)
    state.index.change(record.number, quarantined=str(problem))
    return False


def _adopt(state: BrokerState, snapshot: Snapshot, live: list[SubscriptionRecord]) -> None:
    """Take the matchers of a snapshot, without what is not live any more, or not under that grant."""
    kept: dict[Grant, dict[str, bool]] = {grant: {} for grant in snapshot.matchers}
    for record in live:
        row, name, grant = snapshot.rows.get(record.number), str(record.number), state.grant(record.owner)
        if row is not None and row.is_matched and name in snapshot.matchers.get(grant, ()):
            kept[grant][name] = row.is_construct
    for grant, matcher in snapshot.matchers.items():
        if len(matcher) != len(kept[grant]):
            _remove_others(matcher, snapshot, kept[grant])
        if kept[grant] and len(matcher) == len(kept[grant]):
            state.matchers.adopt(grant, matcher, kept[grant])


def _remove_others(matcher: Matcher, snapshot: Snapshot, kept: dict[str, bool]) -> None:
    for name in map(str, snapshot.rows):
        if name not in kept and name in matcher:
            matcher.remove(name)


def warm_up() -> None:
    """Match something, so that the first publisher does not wait for kernels to be compiled or loaded."""
    matchers = LiveMatchers()
    matchers.add(Subscription.parse("SELECT ?s { ?s <urn:p> ?o }", id="0"), Grant())
    list(matchers.matches(Event.parse("<urn:s> <urn:p> <urn:o> .", graph="urn:triplewire:warm-up")))
