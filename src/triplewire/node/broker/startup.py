"""The start: everything that is kept in memory is read from the folder once, at the start."""

from __future__ import annotations

import logging

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import InputError
from triplewire.matching import Matcher
from triplewire.matching.anchors import is_unindexed
from triplewire.node.broker.core import Core
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


def load(core: Core, tx: Connection) -> None:
    """Read clients, taxonomy and subscriptions, and take up the date."""
    core.date.resume(tx)
    text = metadata.get(tx, TAXONOMY)
    core.taxonomy = None if text is None else Taxonomy.parse(text.encode(), "ntriples")
    core.matchers.set_taxonomy(core.taxonomy)
    core.log_bytes = int(tx.execute("SELECT coalesce(sum(length(nquads)), 0) FROM events").fetchone()[0])
    core.clients |= {client.id: client for client in identities.everyone(tx).values()}
    _load_subscriptions(core, tx)


def _load_subscriptions(core: Core, tx: Connection) -> None:
    records = registry.everyone(tx)
    snapshot = snapshots.read(core.store.folder, core.taxonomy, records)
    sizes, lasts = outbox.sizes(tx), outbox.lasts(tx)
    for record in records:
        core.index.put(record)
        progress = core.index.progress(record.number)
        progress.bytes_waiting = sizes.get(record.number, 0)
        progress.latest = lasts.get(record.number, 0)
        row = snapshot.rows.get(record.number)
        progress.is_unindexed = _is_unindexed(core, record) if row is None else row.is_unindexed
    live = [record for record in core.index if record.is_live and record.quarantined is None]
    _adopt(core, snapshot, live)
    for record in live:
        if str(record.number) not in core.matchers:
            _add(core, record)


def _is_unindexed(core: Core, record: SubscriptionRecord) -> bool:
    try:
        return is_unindexed(parsed(record))
    except InputError as problem:
        return _refuse(core, record, problem)


def _add(core: Core, record: SubscriptionRecord) -> None:
    try:
        core.matchers.add(parsed(record), core.grant(record.owner))
    except InputError as problem:
        _refuse(core, record, problem)


def _refuse(core: Core, record: SubscriptionRecord, problem: InputError) -> bool:
    """A query that an earlier version took, and this one refuses, keeps nobody from starting."""
    _log.warning("the subscription %s of %s is quarantined: %s", record.name, record.owner, problem)
    core.index.change(record.number, quarantined=str(problem))
    return False


def _adopt(core: Core, snapshot: Snapshot, live: list[SubscriptionRecord]) -> None:
    """Take the matchers of a snapshot, without what is not live any more, or not under that grant."""
    kept: dict[Grant, dict[str, bool]] = {grant: {} for grant in snapshot.matchers}
    for record in live:
        row, name, grant = snapshot.rows.get(record.number), str(record.number), core.grant(record.owner)
        if row is not None and row.is_matched and name in snapshot.matchers.get(grant, ()):
            kept[grant][name] = row.is_construct
    for grant, matcher in snapshot.matchers.items():
        if len(matcher) != len(kept[grant]):
            _remove_others(matcher, snapshot, kept[grant])
        if kept[grant] and len(matcher) == len(kept[grant]):
            core.matchers.adopt(grant, matcher, kept[grant])


def _remove_others(matcher: Matcher, snapshot: Snapshot, kept: dict[str, bool]) -> None:
    for name in map(str, snapshot.rows):
        if name not in kept and name in matcher:
            matcher.remove(name)


def warm_up() -> None:
    """Match something, so that the first publisher does not wait for kernels to be compiled or loaded."""
    matchers = LiveMatchers()
    matchers.add(Subscription.parse("SELECT ?s { ?s <urn:p> ?o }", id="0"), Grant())
    list(matchers.matches(Event.parse("<urn:s> <urn:p> <urn:o> .", graph="urn:triplewire:warm-up")))
