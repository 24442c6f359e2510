"""`/clients`, `/taxonomy`, `/explain`: who there is, what classes there are, how a query is matched."""

from __future__ import annotations

import base64
import binascii
from typing import Any

import msgspec
from fastapi import APIRouter, Request, Response
from msgspec import UNSET, Struct

from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import InputError
from triplewire.node.access import identity
from triplewire.node.http.authentication import admin_of, client_of, node_of
from triplewire.node.http.bodies import Base, base_of, media_type_of, read_body
from triplewire.node.http.negotiation import chosen
from triplewire.node.http.openapi import BEARER, documents, json_answer, json_response, problems, text_schema
from triplewire.node.service import Node
from triplewire.rdf.formats import FORMATS, format_of_media_type
from triplewire.store.tables.identities import Client, Rights
from triplewire.wire.answers import RegisteredClient

router = APIRouter(tags=["administration"])

_MOST_JSON = 64 * 1024
_RDF = [form.media_types[0] for form in FORMATS]
_RDF_BODY: dict[str, Any] = {
    "requestBody": {"required": True, "content": {kind: {"schema": text_schema(kind)} for kind in _RDF}}
}
_CLIENT_BODY: dict[str, Any] = {
    "requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}
}


class RegistrationRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Who wants to be a client. Key and proof are base64; without them the node makes a key pair."""

    name: str
    public_key: str | None = None
    proof: str | None = None
    rights: Rights = Rights()


class ClientView(Struct, frozen=True):
    """A client, and what it may do."""

    id: str
    name: str
    rights: Rights


class ClientList(Struct, frozen=True):
    """Every client of the node."""

    clients: list[ClientView]


@router.post(
    "/clients",
    status_code=201,
    responses=json_answer(201, "The client and its secret", RegisteredClient) | problems(400, 401, 403, 413),
    openapi_extra=BEARER | _CLIENT_BODY,
)
async def register(request: Request) -> Response:
    """Register a client. The secret in the answer is shown this once."""
    admin_of(request)
    node = node_of(request)
    wanted = _registration(await read_body(request, _MOST_JSON))
    public_key, private_key = _keys(wanted, node)
    client = Client(identity.public_identifier(public_key), wanted.name, public_key, wanted.rights)
    shown = UNSET if private_key is None else base64.b64encode(private_key).decode()
    return json_response(RegisteredClient(client.id, await node.register(client), shown), 201)


@router.get("/clients", responses=json_answer(200, "Clients", ClientList) | problems(401, 403), openapi_extra=BEARER)
async def list_clients(request: Request) -> Response:
    """Every client, with its rights."""
    admin_of(request)
    listed = [ClientView(client.id, client.name, client.rights) for client in node_of(request).clients]
    return json_response(ClientList(listed))


@router.delete("/clients/{client_id}", status_code=204, responses=problems(401, 403, 404), openapi_extra=BEARER)
async def unregister(request: Request, client_id: str) -> Response:
    """Forget a client and its subscriptions."""
    admin_of(request)
    await node_of(request).unregister(client_id)
    return Response(status_code=204)


@router.get(
    "/taxonomy", responses=documents("text/turtle", "application/n-triples") | problems(401, 406), openapi_extra=BEARER
)
async def read_taxonomy(request: Request) -> Response:
    """The taxonomy by which events are read."""
    client_of(request)
    media_type = chosen(request.headers.get("accept"), ["text/turtle", "application/n-triples"])
    taxonomy = node_of(request).broker.state.taxonomy
    lines = [] if taxonomy is None else sorted(f"{triple} .\n" for triple in taxonomy.triples)
    response = Response("".join(lines), media_type=media_type)
    if taxonomy is not None:
        response.headers["ETag"] = f'"{taxonomy.version}"'
    return response


@router.put(
    "/taxonomy", status_code=204, responses=problems(400, 401, 403, 413, 415, 507), openapi_extra=BEARER | _RDF_BODY
)
async def write_taxonomy(request: Request, base: Base = None) -> Response:
    """Read events by another taxonomy from now on."""
    admin_of(request)
    node = node_of(request)
    form = format_of_media_type(media_type_of(request))
    data = await read_body(request, node.settings.limits.document_bytes)
    await node.set_taxonomy(Taxonomy.parse(data, form.name, base=base_of(request, base)))
    return Response(status_code=204)


def _registration(data: bytes) -> RegistrationRequest:
    try:
        return msgspec.json.decode(data, type=RegistrationRequest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(wanted="a registration as JSON", found=f"something else: {error}") from None


def _keys(wanted: RegistrationRequest, node: Node) -> tuple[bytes, bytes | None]:
    """The public key, and the private one where the node made it."""
    if wanted.public_key is None:
        private_key = identity.new_private_key()
        return identity.public_key_of(private_key), private_key
    public_key = _decoded(wanted.public_key)
    identity.check_proof(public_key, _decoded(wanted.proof or ""), node.id)
    return public_key, None


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise InputError(wanted="base64", found="something else") from None
