"""`/oauth/register`, `/oauth/token`: OAuth's client credentials, for clients of SEPA's protocol.

Who may register is said in `node.sepa.registration`. Any client of the node gets a token for its identifier and secret,
however it was registered.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any

from fastapi import APIRouter, Request, Response

from triplewire.errors import Unauthenticated
from triplewire.node.http.authentication import node_of, require_welcome_if_open
from triplewire.node.http.bodies import read_body
from triplewire.node.http.openapi import JSON, Responses
from triplewire.node.http.sepa.protocol import refusals
from triplewire.store.tables.identities import hash_of
from triplewire.wire.sepa import identity_in, registration_answer, token_answer

router = APIRouter(tags=["SEPA"])

_MOST_BYTES = 64 * 1024
_BASIC = "basic "
_BODY: dict[str, Any] = {"requestBody": {"required": True, "content": {JSON: {"schema": {"type": "object"}}}}}


def _created(description: str) -> Responses:
    return {201: {"description": description, "content": {JSON: {"schema": {"type": "object"}}}}}


@router.post(
    "/oauth/register",
    status_code=201,
    responses=_created("An identifier and a secret") | refusals(400, 403, 413, 507),
    openapi_extra=_BODY,
)
async def register(request: Request) -> Response:
    """Register a client of SEPA's protocol. The same identity gets the same credentials each time."""
    require_welcome_if_open(request)
    node = node_of(request)
    credentials = node.registrar.credentials(identity_in(await read_body(request, _MOST_BYTES)))
    await node.adopt(credentials.client, hash_of(credentials.secret))
    return _secret(registration_answer(credentials.client.id, credentials.secret))


@router.post(
    "/oauth/token",
    status_code=201,
    responses=_created("A token, and for how many seconds it is good") | refusals(401, 403, 413),
    openapi_extra={"security": [{"basic": []}]},
)
async def issue_token(request: Request) -> Response:
    """A token for a client that shows its identifier and its secret (Basic authentication)."""
    require_welcome_if_open(request)
    node = node_of(request)
    client_id, secret = _shown(request.headers.get("authorization", ""))
    client = node.client(secret)
    if client.id != client_id:
        raise Unauthenticated(wanted="a client's identifier and its own secret", found="another's")
    tokens = node.access_tokens
    return _secret(token_answer(tokens.issue(client.id), int(tokens.seconds)))


def _shown(header: str) -> tuple[str, str]:
    try:
        if not header.lower().startswith(_BASIC):
            raise ValueError
        shown = base64.b64decode(header[len(_BASIC) :].strip(), validate=True).decode()
    except (binascii.Error, ValueError):
        raise Unauthenticated(wanted="an identifier and a secret, by Basic authentication", found="neither") from None
    client_id, _, secret = shown.rpartition(":")
    return client_id, secret


def _secret(body: bytes) -> Response:
    return Response(body, 201, media_type=JSON, headers={"Cache-Control": "no-store"})
