"""`/sparql`: queries over everything that is kept (SPARQL 1.1 Protocol, the query operation)."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import parse_qs

from fastapi import APIRouter, Query, Request, Response

from triplewire.errors import Forbidden, InputError, RefusedFeature, UnknownFormat
from triplewire.node.access.grants import readable
from triplewire.node.http.authentication import client_of, node_of
from triplewire.node.http.bodies import media_type_of, read_body
from triplewire.node.http.negotiation import chosen
from triplewire.node.http.openapi import BEARER, documents, problems
from triplewire.node.http.routes.subscriptions import text_of
from triplewire.node.repository.repository import is_graph_query
from triplewire.rdf.formats import FORMATS

router = APIRouter(tags=["sparql"])

_RESULTS = [
    "application/sparql-results+json",
    "application/sparql-results+xml",
    "text/csv",
    "text/tab-separated-values",
]
_GRAPHS = ["application/n-triples", *(f.media_types[0] for f in FORMATS if f.name not in ("nquads", "ntriples"))]
_ALIASES = {"application/json": _RESULTS[0], "application/xml": _RESULTS[1]}
_FORM = "application/x-www-form-urlencoded"
_DATASET = ("default-graph-uri", "named-graph-uri")
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/sparql-query": {"schema": {"type": "string"}},
            _FORM: {"schema": {"type": "object", "required": ["query"], "properties": {"query": {"type": "string"}}}},
        },
    }
}
_PROBLEMS = documents(*_RESULTS, *_GRAPHS) | problems(400, 401, 403, 406, 413, 415, 503)


@router.get("/sparql", responses=_PROBLEMS, openapi_extra=BEARER)
async def query_by_get(request: Request, query: Annotated[str, Query()]) -> Response:
    """Evaluate a SPARQL query."""
    return await _answered(request, query, list(request.query_params))


@router.post("/sparql", responses=_PROBLEMS, openapi_extra=BEARER | _BODY)
async def query_by_post(request: Request) -> Response:
    """Evaluate a SPARQL query in the body."""
    client_of(request)
    media_type = media_type_of(request)
    if media_type == "application/sparql-query":
        return await _answered(request, await text_of(request), list(request.query_params))
    if media_type != _FORM:
        raise UnknownFormat(wanted=f"a query as application/sparql-query or {_FORM}", found=repr(media_type))
    fields = await _form(request)
    if len(fields.get("query", ())) != 1:
        raise InputError(wanted="exactly one field `query`", found="none or several")
    return await _answered(request, fields["query"][0], list(fields))


async def _answered(request: Request, text: str, parameters: list[str]) -> Response:
    client = client_of(request)
    if not readable(client).is_everything:
        raise Forbidden(wanted="a client that may read everything", found="one with a limited grant")
    for name in _DATASET:
        if name in parameters:
            raise RefusedFeature("FROM", f"{name} is refused, as FROM is: a query asks everything that is kept")
    offered = _GRAPHS if is_graph_query(text) else [*_RESULTS, *_ALIASES]
    media_type = chosen(request.headers.get("accept"), offered)
    result = await node_of(request).queries.query(text, _ALIASES.get(media_type, media_type))
    return Response(result.content, media_type=result.media_type)


async def _form(request: Request) -> dict[str, list[str]]:
    data = await read_body(request, 1 << 20)
    try:
        return parse_qs(data.decode("ascii"), keep_blank_values=True, max_num_fields=100, errors="strict")
    except (ValueError, UnicodeDecodeError) as error:
        raise InputError(wanted="form fields", found=str(error)) from None
