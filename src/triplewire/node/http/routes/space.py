"""`/space`: the event space as its nodes describe themselves; and how a node leaves it."""

from __future__ import annotations

import msgspec
from fastapi import APIRouter, Request, Response

from triplewire.node.http.authentication import admin_of, node_of
from triplewire.node.http.openapi import BEARER, problems
from triplewire.node.space.space import require_space

router = APIRouter(tags=["space"])


@router.get("/space", responses=problems(401, 403, 404, 503), openapi_extra=BEARER)
async def read_space(request: Request) -> Response:
    """Every node of the space with its zones, what they store and who keeps its replica. For administrators."""
    admin_of(request)
    view = await require_space(node_of(request).space).view()
    return Response(msgspec.json.encode(view), media_type="application/json")


@router.post("/space/leave", status_code=202, responses=problems(401, 403, 404, 409, 503), openapi_extra=BEARER)
async def leave_space(request: Request) -> Response:
    """Leave the space for good: others get all that this node has there, and it takes no more events.

    The answer says how far that is; asked again, it says so again, with 200 once it is done. For administrators.
    """
    admin_of(request)
    departure = await require_space(node_of(request).space).leave()
    status = 200 if departure.is_complete else 202
    return Response(msgspec.json.encode(departure), status_code=status, media_type="application/json")
