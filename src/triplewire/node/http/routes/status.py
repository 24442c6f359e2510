"""`/health` and `/metrics`: is it well, and what does it do?"""

from __future__ import annotations

from typing import Any

import msgspec
from fastapi import APIRouter, Request, Response

from triplewire.node.http.authentication import client_of, node_of
from triplewire.node.http.metrics import MEDIA_TYPE, exposition
from triplewire.node.http.openapi import BEARER, documents, problems
from triplewire.rdf.limits import Limits
from triplewire.store.tables import outbox

router = APIRouter(tags=["status"])


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
    if node.space is not None and node.space.trouble is not None:
        body |= {"space": node.space.trouble}
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
    return Response(exposition(node, client, oldest), media_type=MEDIA_TYPE)
