"""`/rules/relevance`, `/transactions`, `/privileges`: rules across super-peers.

What is said of them at `/rules`, `/updates` and `/schema` with `?scope=network` is answered here, too.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path, Query, Request, Response

from triplewire.errors import InputError, NotInNetwork
from triplewire.languages.rdftl.parser import MAX_FILE_BYTES
from triplewire.node.federation.service import Federation
from triplewire.node.http.authentication import admin_of, client_of, node_of
from triplewire.node.http.bodies import RDFTL, read_body, read_text, require_rdftl
from triplewire.node.http.negotiation import chosen
from triplewire.node.http.openapi import BEARER, JSON, json_answer, json_response, problems
from triplewire.node.http.routes.events import MOST_POSITION
from triplewire.node.http.routes.subscriptions import text_of
from triplewire.node.rules.idempotency import IdempotencyKey
from triplewire.node.rules.rights import require_author
from triplewire.rdf.terms import NamedNode
from triplewire.store.tables.identities import Client
from triplewire.wire.network_rules import (
    AbortName,
    NetworkPrivileges,
    NetworkRules,
    NetworkTrace,
    NetworkTransaction,
    RuleRelevance,
)

router = APIRouter(tags=["rules across super-peers"])

MOST_WAIT = 60.0
_MOST_PRIVILEGES = 4 * 1024 * 1024
_RULE: dict[str, Any] = {"requestBody": {"required": True, "content": {RDFTL: {"schema": {"type": "string"}}}}}
_JSON_BODY: dict[str, Any] = {"requestBody": {"required": True, "content": {JSON: {"schema": {"type": "object"}}}}}
_BYTE = re.compile(r"\(byte (\d+)\)")


class Scope(StrEnum):
    """Where something counts: in the living graph of this node, or at every super-peer of its network."""

    NODE = "node"
    NETWORK = "network"


InScope = Annotated[Scope, Query(description="`network`: across super-peers, with the peers of this one's group.")]
Wait = Annotated[float, Query(ge=0, le=MOST_WAIT, description="Seconds to wait for others, at most.")]
SuperPeer = Annotated[str, Path(pattern=r"^[\x21-\x2e\x30-\x7e]+$", max_length=200)]
Number = Annotated[int, Path(ge=1, le=MOST_POSITION)]


# Rules


async def put_network_rule(request: Request, name: str, abort: AbortName | None) -> Response:
    """Register a rule with the network."""
    client, federation = _author(request), federation_of(request)
    require_rdftl(request)
    return json_response(await federation.put_rule(client, name, await text_of(request), abort), 201)


async def list_network_rules(request: Request) -> Response:
    """The client's rules; an administrator sees all that this super-peer holds."""
    client = client_of(request)
    return json_response(NetworkRules(tuple(await federation_of(request).rules(client))))


async def read_network_rule(request: Request, rule: str) -> Response:
    """One rule, as JSON or as its text."""
    client = client_of(request)
    media_type = chosen(request.headers.get("accept"), [JSON, RDFTL])
    found = await federation_of(request).find_rule(client, rule)
    return json_response(found) if media_type == JSON else Response(found.text, media_type=RDFTL)


async def remove_network_rule(request: Request, rule: str) -> Response:
    """Forget a rule, here and everywhere."""
    client = client_of(request)
    await federation_of(request).remove_rule(client, rule)
    return Response(status_code=204)


@router.post(
    "/rules/relevance",
    responses=json_answer(200, "Whom the rule concerns, and why", RuleRelevance)
    | problems(400, 401, 403, 404, 413, 415),
    openapi_extra=BEARER | _RULE,
)
async def find_relevance(request: Request, wait: Wait = 2.0) -> Response:
    """Say which super-peers and peers a rule would concern, part by part, and why. Nothing is registered."""
    client, federation = _author(request), federation_of(request)
    require_rdftl(request)
    return json_response(await federation.relevance(client, await text_of(request), wait))


# Transactions


async def submit(request: Request, wait: float, idempotency_key: str | None) -> Response:
    """Submit a transaction to the network, under a key once."""
    client, node = _author(request), node_of(request)
    require_rdftl(request)
    federation = federation_of(request)
    text = await read_text(request, min(MAX_FILE_BYTES, node.settings.limits.document_bytes))
    return _submitted(await federation.submit(client, text, wait, key=_key(client, idempotency_key, text)))


@router.get(
    "/transactions/{super_peer}/{number}",
    responses=json_answer(200, "How it stands", NetworkTransaction) | problems(401, 403, 404),
    openapi_extra=BEARER,
)
async def read_transaction(request: Request, super_peer: SuperPeer, number: Number) -> Response:
    """A transaction that was submitted to the network here, as far as this super-peer knows."""
    client = _author(request)
    return json_response(await federation_of(request).transaction(client, f"{super_peer}/{number}"))


@router.get(
    "/transactions/{super_peer}/{number}/trace",
    responses=json_answer(200, "Its units, and who aborts with whom", NetworkTrace) | problems(401, 403, 404),
    openapi_extra=BEARER,
)
async def read_network_trace(request: Request, super_peer: SuperPeer, number: Number, wait: Wait = 2.0) -> Response:
    """How a transaction went across super-peers: what each unit did because of what, and the abort graph.

    Whoever has not answered in time is named in `unanswered`; what is below it is not in the answer.
    """
    client = _author(request)
    return json_response(await federation_of(request).trace(client, f"{super_peer}/{number}", wait))


@router.delete(
    "/transactions/{super_peer}/{number}",
    responses=json_answer(200, "How it stands now", NetworkTransaction) | problems(401, 403, 404, 409),
    openapi_extra=BEARER,
)
async def withdraw_transaction(request: Request, super_peer: SuperPeer, number: Number) -> Response:
    """Withdraw a transaction: it aborts, with whatever has to abort with it, also after its commit."""
    client = _author(request)
    return json_response(await federation_of(request).withdraw(client, f"{super_peer}/{number}"))


# Privileges


@router.get(
    "/privileges",
    responses=json_answer(200, "What others may do", NetworkPrivileges) | problems(401, 403, 404),
    openapi_extra=BEARER,
)
async def read_privileges(request: Request) -> Response:
    """What other super-peers may do with the data of this one's group. For administrators."""
    client = admin_of(request)
    return json_response(await federation_of(request).privileges(client))


@router.put(
    "/privileges",
    status_code=204,
    responses=problems(400, 401, 403, 404, 413, 507),
    openapi_extra=BEARER | _JSON_BODY,
)
async def write_privileges(request: Request) -> Response:
    """Let other super-peers do this from now on, and nothing else. For administrators."""
    client, federation = admin_of(request), federation_of(request)
    privileges = _privileges(await read_body(request, _MOST_PRIVILEGES))
    await federation.grant(client, privileges)
    return Response(status_code=204)


async def read_network_schema(request: Request) -> Response:
    """The merged schema of the network, annotated."""
    client = client_of(request)
    return json_response(await federation_of(request).schema(client))


# Private


def federation_of(request: Request) -> Federation:
    """The node's rules across super-peers, or `NotInNetwork`."""
    node = node_of(request)
    if node.federation is None:
        is_off = node.overlay is not None
        raise NotInNetwork(
            wanted="a super-peer that carries rules",
            found="one that does not" if is_off else "a node that is in no network",
            hint="triplewire serve without --no-network-rules" if is_off else "triplewire serve --network-key FILE",
        )
    return node.federation


def _author(request: Request) -> Client:
    client = client_of(request)
    require_author(client)
    return client


def _key(client: Client, key: str | None, text: str) -> IdempotencyKey | None:
    digest = hashlib.sha256(b"/updates?scope=network\n" + text.encode()).digest()
    return None if key is None else IdempotencyKey(client.id, key, digest)


def _submitted(made: NetworkTransaction) -> Response:
    response = json_response(made, 202 if made.status == "active" else 200)
    response.headers["Location"] = f"/transactions/{made.transaction}"
    return response


def _privileges(data: bytes) -> NetworkPrivileges:
    try:
        found = msgspec.json.decode(data, type=NetworkPrivileges)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _misread(data, error) from None
    for place, iri in _iris(found):
        try:
            NamedNode(iri)
        except ValueError:
            raise InputError(wanted=f"an absolute IRI in `{place}`", found=repr(iri)) from None
    return found


def _misread(data: bytes, error: Exception) -> InputError:
    """The decoder names a byte, or the path of a field."""
    problem = InputError(wanted="privileges as JSON", found=f"something else: {error}")
    at = _BYTE.search(str(error))
    return problem if at is None else problem.standing_in(data.decode(errors="replace"), int(at[1]))


def _iris(privileges: NetworkPrivileges) -> Iterator[tuple[str, str]]:
    yield from (("nodes", iri) for iri in privileges.nodes)
    yield from (("resources", iri) for iri in privileges.resources)
    for number, detail in enumerate(privileges.details):
        yield f"details[{number}].resource", detail.resource
        yield f"details[{number}].property", detail.property
