"""`/health` and `/metrics`: is it well, and what does it do?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from fastapi import APIRouter, Request, Response

from triplewire.node.access_point.service import Peers
from triplewire.node.http.authentication import BEARER, client_of, node_of
from triplewire.node.http.openapi_answers import documents, problems
from triplewire.node.overlay.overlay import Overlay
from triplewire.node.overlay.traffic_counters import by_kind
from triplewire.node.service import Node
from triplewire.rdf.limits import Limits
from triplewire.store.histograms import Histogram
from triplewire.store.tables import outbox
from triplewire.store.tables.identities import Client

router = APIRouter(tags=["status"])

_TEXT = "text/plain; version=0.0.4"


@router.get("/health")
async def health(request: Request) -> Response:
    """200 if the node accepts events, 503 with the reason if not. Needs no secret."""
    node = node_of(request)
    failure = node.broker.store.failure
    body: dict[str, Any] = {"status": "fine" if failure is None else "failed", "node": node.id}
    body |= {"limits": _limits(node.settings.limits)}
    body |= {} if failure is None else {"reason": str(failure)}
    if node.peers is not None:
        body |= {"peers": node.peers.address, "key": node.peers.key}
    body |= {} if node.repository.trouble is None else {"repository": node.repository.trouble}
    return Response(msgspec.json.encode(body), 200 if failure is None else 503, media_type="application/json")


def _limits(limits: Limits) -> dict[str, int]:
    """What a client has to know before it sends something large."""
    return {
        "event_bytes": limits.event_bytes,
        "event_quads": limits.quads,
        "request_bytes": limits.document_bytes,
    }


@router.get("/metrics", responses=documents("text/plain") | problems(401), openapi_extra=BEARER)
async def metrics(request: Request) -> Response:
    """Counters and gauges in Prometheus' text format. Of subscriptions, a client sees its own only."""
    client, node = client_of(request), node_of(request)
    owner = None if client.rights.is_admin else client.id
    oldest = await node.broker.store.read(lambda tx: outbox.oldest(tx, owner))
    fsyncs = node.broker.store.stats.seconds
    lines = [*_counts(node), *_histogram(fsyncs), *_costs(node, client), *_ages(node, oldest)]
    lines += [] if node.overlay is None else _network(node.overlay)
    lines += [] if node.peers is None else _peers(node.peers)
    return Response("\n".join(lines) + "\n", media_type=_TEXT)


def _counts(node: Node) -> Iterator[str]:
    broker, counters = node.broker, node.broker.core.counters
    for name, value, kind, text in (
        ("published_total", counters.published, "counter", "events stored"),
        ("repeated_total", counters.repeated, "counter", "events that were there already"),
        ("matched_total", counters.matched, "counter", "notifications made"),
        ("delivered_total", counters.delivered, "counter", "notifications handed out"),
        ("acknowledged_total", counters.acknowledged, "counter", "acknowledgements"),
        ("candidates_total", counters.candidates, "counter", "subscriptions tested on an event"),
        ("writer_queue", broker.store.queue_length, "gauge", "requests that wait for a commit"),
        ("log_bytes", broker.core.log_bytes, "gauge", "bytes of events kept"),
        ("subscriptions", len(broker.subscriptions.index), "gauge", "subscriptions"),
        ("repository_quarantined", len(node.repository.quarantined), "gauge", "events that the repository lacks"),
        ("repository_position", node.repository.position, "gauge", "how far the repository has come"),
    ):
        yield f"# HELP triplewire_{name} {text}"
        yield f"# TYPE triplewire_{name} {kind}"
        yield f"triplewire_{name} {value}"


def _histogram(seconds: Histogram) -> Iterator[str]:
    name = "triplewire_fsync_seconds"
    yield f"# HELP {name} how long a commit takes to be on the disk"
    yield f"# TYPE {name} histogram"
    for bound, count in seconds.cumulative():
        yield f'{name}_bucket{{le="{bound}"}} {count}'
    yield f"{name}_sum {seconds.sum}"
    yield f"{name}_count {seconds.count}"


def _costs(node: Node, client: Client) -> Iterator[str]:
    name = "triplewire_candidates_by_owner_total"
    yield f"# HELP {name} subscriptions of an owner tested on an event, while they are live"
    yield f"# TYPE {name} counter"
    for owner, count in sorted(node.broker.core.matchers.costs().items(), key=str):
        if owner is not None and (client.rights.is_admin or client.id == owner):
            yield f'{name}{{owner="{_escaped(owner)}"}} {count}'


def _ages(node: Node, oldest: dict[int, float]) -> Iterator[str]:
    name = "triplewire_oldest_undelivered_seconds"
    yield f"# HELP {name} age of the oldest notification that waits"
    yield f"# TYPE {name} gauge"
    now = node.broker.date.time()
    for number, accepted in oldest.items():
        record = node.broker.subscriptions.index.get(number)
        if record is not None:
            labels = f'subscription="{_escaped(record.name)}",owner="{_escaped(record.owner)}"'
            yield f"{name}{{{labels}}} {max(0.0, now - accepted):.3f}"


def _peers(peers: Peers) -> Iterator[str]:
    """Who comes and goes at an access point, and what was refused."""
    for name, value, text in (
        ("peers", len(peers.machine.peers), "peers that are remembered"),
        ("peers_online", len(peers.machine.online), "peers that are on-line"),
    ):
        yield f"# HELP triplewire_{name} {text}"
        yield f"# TYPE triplewire_{name} gauge"
        yield f"triplewire_{name} {value}"
    yield "# HELP triplewire_peers_refused_total what was not of a session"
    yield "# TYPE triplewire_peers_refused_total counter"
    for reason, count in sorted(peers.machine.refusals.items()):
        yield f'triplewire_peers_refused_total{{reason="{_escaped(reason)}"}} {count}'


def _network(overlay: Overlay) -> Iterator[str]:
    """What a super-peer has said and heard, by kind of message, and what became of events."""
    yield "# HELP triplewire_network_members super-peers of the network"
    yield "# TYPE triplewire_network_members gauge"
    yield f"triplewire_network_members {len(overlay.peer.members.places)}"
    for name, counts, label, text in (
        ("sent", by_kind(overlay.tally.sent), "kind", "messages to other super-peers"),
        ("received", by_kind(overlay.tally.received), "kind", "messages of other super-peers"),
        ("events", overlay.tally.events, "outcome", "events of other super-peers, and those replayed for them"),
        ("refused", overlay.transport.refused, "fault", "what came in and was no message"),
        ("dropped", overlay.transport.dropped, "reason", "messages that were not sent"),
    ):
        yield f"# HELP triplewire_network_{name}_total {text}"
        yield f"# TYPE triplewire_network_{name}_total counter"
        for value, count in sorted(counts.items()):
            yield f'triplewire_network_{name}_total{{{label}="{_escaped(value)}"}} {count}'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
