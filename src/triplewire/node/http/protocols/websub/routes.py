"""`/websub`: the hub (W3C Recommendation WebSub)."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from triplewire.errors import UnknownFormat
from triplewire.node.http.authentication import client_of
from triplewire.node.http.bodies import media_type_of, read_form
from triplewire.node.http.openapi import BEARER, problems
from triplewire.node.http.protocols.topics import subscription_at
from triplewire.node.http.protocols.websub.hub import begin
from triplewire.node.http.protocols.websub.requests import hub_request

router = APIRouter(tags=["WebSub"])

_FORM = "application/x-www-form-urlencoded"
_FORM_BYTES = 16 * 1024
_FIELDS = ("hub.mode", "hub.topic", "hub.callback", "hub.lease_seconds", "hub.secret")
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            _FORM: {
                "schema": {
                    "type": "object",
                    "required": list(_FIELDS[:3]),
                    "properties": {name: {"type": "string"} for name in _FIELDS},
                }
            }
        },
    }
}


@router.post(
    "/websub", status_code=202, responses=problems(400, 401, 403, 404, 413, 415, 429), openapi_extra=BEARER | _BODY
)
async def hub(request: Request) -> Response:
    """Subscribe to a topic, or unsubscribe. The callback is asked whether it means it, after this was answered."""
    client = client_of(request)
    media_type = media_type_of(request)
    if media_type != _FORM:
        raise UnknownFormat(wanted=f"a form as {_FORM}", found=repr(media_type))
    asked = hub_request(await read_form(request, _FORM_BYTES))
    begin(request, client, subscription_at(request, asked.topic), asked)
    return Response(status_code=202)
