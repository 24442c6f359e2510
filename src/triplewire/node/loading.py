"""Loading: everything that is kept in memory is read from the folder once, at the start."""

from __future__ import annotations

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.matching.anchoring import is_unindexed
from triplewire.node.audience import Audience
from triplewire.node.core import Core
from triplewire.node.histories import parsed
from triplewire.node.keeping import TAXONOMY
from triplewire.rdf.events import Event
from triplewire.store import facts, identities, outbox, registry
from triplewire.store.disk import Connection
from triplewire.store.identities import Grant


def load(core: Core, tx: Connection) -> None:
    """Read clients, taxonomy and subscriptions, and take up the date."""
    core.steady.go_on(tx)
    text = facts.get(tx, TAXONOMY)
    core.taxonomy = None if text is None else Taxonomy.parse(text.encode(), "ntriples")
    core.audience.set_taxonomy(core.taxonomy)
    core.log_bytes = int(tx.execute("SELECT coalesce(sum(length(nquads)), 0) FROM events").fetchone()[0])
    core.clients |= {client.id: client for client in identities.everyone(tx).values()}
    _load_subscriptions(core, tx)


def _load_subscriptions(core: Core, tx: Connection) -> None:
    sizes, lasts = outbox.sizes(tx), outbox.lasts(tx)
    for record in registry.everyone(tx):
        core.roster.put(record)
        standing = core.roster.standing(record.number)
        standing.bytes_waiting = sizes.get(record.number, 0)
        standing.latest = lasts.get(record.number, 0)
        subscription = parsed(record)
        standing.is_unindexed = is_unindexed(subscription)
        if record.is_live and record.quarantined is None:
            core.audience.add(subscription, core.grant(record.owner))


def warm_up() -> None:
    """Match something, so that the first publisher does not wait for kernels to be compiled or loaded."""
    audience = Audience()
    audience.add(Subscription.parse("SELECT ?s { ?s <urn:p> ?o }", id="0"), Grant())
    list(audience.matches(Event.parse("<urn:s> <urn:p> <urn:o> .", graph="urn:triplewire:warm-up")))
