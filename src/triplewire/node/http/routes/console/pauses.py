"""`/subscriptions/{name}/pause` and `/resume`, and of views: nothing is handed out for a while, and nothing is lost."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from triplewire.node.http.authentication import node_of
from triplewire.node.http.openapi import BEARER, problems
from triplewire.node.http.routes.subscriptions import Name, Owner, subscription_of

router = APIRouter(tags=["delivery"])


@router.post("/views/{name}/pause", status_code=204, responses=problems(401, 403, 404, 507), openapi_extra=BEARER)
@router.post(
    "/subscriptions/{name}/pause", status_code=204, responses=problems(401, 403, 404, 507), openapi_extra=BEARER
)
async def pause(request: Request, name: Name, owner: Owner = None) -> Response:
    """Hand nothing out until it is resumed: not by page, stream or webhook. What comes waits, as far as it is kept."""
    return await _set(request, name, owner, paused=True)


@router.post("/views/{name}/resume", status_code=204, responses=problems(401, 403, 404, 507), openapi_extra=BEARER)
@router.post(
    "/subscriptions/{name}/resume", status_code=204, responses=problems(401, 403, 404, 507), openapi_extra=BEARER
)
async def resume(request: Request, name: Name, owner: Owner = None) -> Response:
    """Go on handing out, where that was paused."""
    return await _set(request, name, owner, paused=False)


async def _set(request: Request, name: str, owner: str | None, *, paused: bool) -> Response:
    node = node_of(request)
    known = subscription_of(request, name, owner)
    if known.options.paused != paused:
        # A webhook begins again behind what was acknowledged, and finds nothing while this lasts.
        node.webhooks.attend(await node.broker.subscriptions.pause(known.number, paused=paused))
    return Response(status_code=204)
