"""`/sepa/query`, `/sepa/update`, `/sepa/subscribe`: SEPA's protocol, over the living graph and views of it.

Not at SEPA's own `/update`, which is this API's, with other answers and errors: SEPA's clients read paths from a file.
One of them has `/secure/query` and the like built in, for what it does with a token; those are the same.

Relative IRIs count from `/sepa/` at the host that was asked, in queries, updates and subscriptions alike.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Request, Response, WebSocket, WebSocketDisconnect
from starlette.requests import HTTPConnection

from triplewire.errors import InvalidTerm, TriplewireError
from triplewire.languages.sparql.syntax.datasets import DatasetQuery
from triplewire.node.http.authentication import bearer_of, holder_of, node_of, require_welcome
from triplewire.node.http.openapi import BEARER, Responses, documents, json_answer
from triplewire.node.http.problems import problem_of
from triplewire.node.http.routes.living import UPDATE_BODY, USING, parsed_update, update_in
from triplewire.node.http.routes.sparql import (
    DATASET,
    GRAPHS,
    QUERY_BODY,
    RESULTS,
    Asked,
    asked_in_body,
    gives_triples,
    media_type_for,
)
from triplewire.node.http.sepa.refusals import refusal_in
from triplewire.node.living.service import require_reader
from triplewire.node.rules.rights import require_author
from triplewire.node.sepa.answers import json_quads, triples_as_results
from triplewire.node.sepa.socket import POLICY, Host, Socket
from triplewire.rdf.parsing.quads import check_base
from triplewire.wire.sepa import Refusal, Subscribe, update_answer

router = APIRouter(tags=["SEPA"])

JSON = "application/json"
_NTRIPLES = GRAPHS[0]
_CLOSING_SECONDS = 5.0


def refusals(*statuses: int) -> Responses:
    """The errors that an operation may answer with, in SEPA's form; a malformed request is always among them."""
    [described] = json_answer(400, "An error in SEPA's form", Refusal).values()
    return dict.fromkeys((*statuses, 422), described)


_ANSWERS = documents(*RESULTS, *GRAPHS) | refusals(400, 401, 403, 406, 413, 415, 503)
_UPDATED: Responses = {
    200: {"description": "What was added and removed", "content": {JSON: {"schema": {"type": "object"}}}}
}


# Queries


@router.get("/secure/query", responses=_ANSWERS, openapi_extra=BEARER)
@router.get("/sepa/query", responses=_ANSWERS, openapi_extra=BEARER)
async def query_by_get(
    request: Request,
    query: Annotated[str, Query()],
    default: Annotated[list[str] | None, Query(alias=DATASET[0], description="As FROM.")] = None,
    named: Annotated[list[str] | None, Query(alias=DATASET[1], description="As FROM NAMED.")] = None,
) -> Response:
    """Evaluate a SPARQL query over the living graph."""
    require_reader(holder_of(request))
    return await _answered(request, Asked(query, {DATASET[0]: default or [], DATASET[1]: named or []}))


@router.post("/secure/query", responses=_ANSWERS, openapi_extra=BEARER | QUERY_BODY)
@router.post("/sepa/query", responses=_ANSWERS, openapi_extra=BEARER | QUERY_BODY)
async def query_by_post(request: Request) -> Response:
    """Evaluate a SPARQL query in the body over the living graph."""
    require_reader(holder_of(request))
    return await _answered(request, await asked_in_body(request))


async def _answered(request: Request, asked: Asked) -> Response:
    query, replica = asked.parsed(base_of(request)), node_of(request).replica
    if gives_triples(query) and not _names_triples(request):
        # Whoever wants JSON gets solutions, as a subscription to the same query does.
        triples = await replica.query(query, _NTRIPLES)
        rows = await asyncio.to_thread(lambda: msgspec.json.encode(triples_as_results(triples.content).document()))
        return Response(rows, media_type=RESULTS[0])
    result = await replica.query(query, media_type_for(request, is_graph=gives_triples(query)))
    return Response(result.content, media_type=result.media_type)


def _names_triples(request: Request) -> bool:
    accept = request.headers.get("accept", "").lower()
    return any(media_type in accept for media_type in GRAPHS)


# Updates


@router.post(
    "/secure/update",
    responses=_UPDATED | refusals(400, 401, 403, 413, 415, 429, 503, 507),
    openapi_extra=BEARER | UPDATE_BODY,
)
@router.post(
    "/sepa/update",
    responses=_UPDATED | refusals(400, 401, 403, 413, 415, 429, 503, 507),
    openapi_extra=BEARER | UPDATE_BODY,
)
async def update(
    request: Request,
    using: Annotated[list[str] | None, Query(alias=USING[0], description="As USING, for every WHERE.")] = None,
    using_named: Annotated[
        list[str] | None, Query(alias=USING[1], description="As USING NAMED, for every WHERE.")
    ] = None,
) -> Response:
    """Execute a SPARQL 1.1 Update request as one transaction; the answer has the quads that came and went."""
    node, client = node_of(request), holder_of(request)
    require_author(client)
    text, graphs = await update_in(request, using or [], using_named or [])
    operations = await parsed_update(text, base_of(request), graphs)
    applied = await node.broker.living.apply(client, operations)
    return Response(update_answer(*json_quads(applied.changes)), media_type=JSON)


# Subscriptions


@router.websocket("/secure/subscribe")
@router.websocket("/sepa/subscribe")
async def subscribe(websocket: WebSocket) -> None:
    try:
        require_welcome(websocket)
        credential = bearer_of(websocket)
    except TriplewireError as problem:
        await websocket.close(POLICY, str(problem)[:100])
        return
    await websocket.accept()
    farewell = await Socket(_Client(websocket), _host(websocket), credential).run()
    if farewell is not None:
        # Whoever does not read may not take this either.
        with suppress(RuntimeError, WebSocketDisconnect, TimeoutError):
            async with asyncio.timeout(_CLOSING_SECONDS):
                await websocket.close(farewell.code, farewell.reason)


class _Client:
    """The client's end of a WebSocket."""

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket

    async def receive(self) -> str | bytes | None:
        message = await self._websocket.receive()
        if message["type"] == "websocket.disconnect":
            return None
        text: str | bytes | None = message.get("text")
        return message.get("bytes", b"") if text is None else text

    async def send(self, frame: str) -> None:
        try:
            await self._websocket.send_text(frame)
        except (RuntimeError, WebSocketDisconnect) as problem:
            raise ConnectionError(str(problem)) from None


def _host(connection: HTTPConnection) -> Host:
    node, base = node_of(connection), base_of(connection)

    def read(asked: Subscribe) -> DatasetQuery:
        return Asked(asked.sparql, {DATASET[0]: asked.default_graphs, DATASET[1]: asked.named_graphs}).parsed(base)

    return Host(
        views=node.broker.views,
        holder=node.holder,
        read=read,
        refuse=lambda problem: refusal_in(problem_of(problem)),
        waiting=node.sepa_waiting,
        seconds=node.settings.body_seconds,
    )


def base_of(connection: HTTPConnection) -> str | None:
    """What relative IRIs count from, over HTTP and WebSocket alike; None where the Host header is none."""
    base = f"http://{connection.headers.get('host', '')}/sepa/"
    try:
        check_base(base)
    except InvalidTerm:
        return None
    return base
