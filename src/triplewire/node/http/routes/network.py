"""`/network`: the network of super-peers as this node sees it."""

from __future__ import annotations

from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Request, Response

from triplewire.errors import NotInNetwork
from triplewire.node.http.authentication import admin_of, node_of
from triplewire.node.http.openapi import BEARER, problems
from triplewire.node.overlay.network_view import network_view

router = APIRouter(tags=["network"])

MOST = 10_000


@router.get("/network", responses=problems(401, 403, 404), openapi_extra=BEARER)
async def read_network(
    request: Request,
    limit: Annotated[int, Query(ge=0, le=MOST, description="At most so many rows of an index and of the poset.")] = 200,
) -> Response:
    """The cube, the indices, the poset, and how many messages there were. For administrators: it shows everybody's."""
    admin_of(request)
    overlay = node_of(request).overlay
    if overlay is None:
        raise NotInNetwork(wanted="a node that is a super-peer", found="one that is in no network")
    return Response(msgspec.json.encode(network_view(overlay, limit)), media_type="application/json")
