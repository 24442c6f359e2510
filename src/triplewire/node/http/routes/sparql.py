"""`/sparql`: queries over the living graph; `/events/sparql`: over every event that is kept (SPARQL 1.1 Protocol)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from msgspec import Struct

from triplewire.errors import InputError, RefusedFeature, UnknownFormat
from triplewire.languages.sparql.parsing.parser import parse_dataset_query
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.datasets import DatasetQuery, DescribeQuery
from triplewire.node.http.authentication import client_of, node_of
from triplewire.node.http.bodies import Base, base_of, media_type_of, read_form
from triplewire.node.http.descriptions.service_description import UNION_DEFAULT_GRAPH, description
from triplewire.node.http.negotiation import chosen
from triplewire.node.http.openapi import BEARER, documents, problems
from triplewire.node.http.routes.subscriptions import text_of
from triplewire.node.living.service import require_reader
from triplewire.node.repository.following import Result
from triplewire.node.repository.repository import is_graph_query
from triplewire.rdf.formats import FORMATS
from triplewire.rdf.terms import NamedNode

router = APIRouter(tags=["sparql"])

RESULTS = [
    "application/sparql-results+json",
    "application/sparql-results+xml",
    "text/csv",
    "text/tab-separated-values",
]
GRAPHS = ["application/n-triples", *(f.media_types[0] for f in FORMATS if f.name not in ("nquads", "ntriples"))]
_ALIASES = {"application/json": RESULTS[0], "application/xml": RESULTS[1]}
FORM = "application/x-www-form-urlencoded"
_FORM_BYTES = 1 << 20
QueryText = Annotated[str | None, Query()]
DATASET = ("default-graph-uri", "named-graph-uri")
QUERY_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/sparql-query": {"schema": {"type": "string"}},
            FORM: {"schema": {"type": "object", "required": ["query"], "properties": {"query": {"type": "string"}}}},
        },
    }
}
_PROBLEMS = documents(*RESULTS, *GRAPHS) | problems(400, 401, 403, 406, 413, 415, 503)


class Asked(Struct, frozen=True):
    """A query, and the graphs that the request names, by parameter."""

    text: str
    graphs: Mapping[str, Sequence[str]]

    def parsed(self, base: str | None = None) -> DatasetQuery:
        """The query over those graphs."""
        graphs = [[graph_named(name) for name in self.graphs.get(parameter, ())] for parameter in DATASET]
        return parse_dataset_query(self.text, base).over(*graphs)


# The living graph


@router.get("/sparql", responses=_PROBLEMS, openapi_extra=BEARER)
async def query_by_get(
    request: Request,
    query: QueryText = None,
    default: Annotated[list[str] | None, Query(alias=DATASET[0], description="As FROM.")] = None,
    named: Annotated[list[str] | None, Query(alias=DATASET[1], description="As FROM NAMED.")] = None,
    base: Base = None,
) -> Response:
    """Evaluate a SPARQL query over the living graph; without one, describe the service, in RDF."""
    if query is None:
        return _described(request)
    asked = Asked(_one_of(request, query), {DATASET[0]: default or [], DATASET[1]: named or []})
    return await _answered(request, asked, base)


@router.post("/sparql", responses=_PROBLEMS, openapi_extra=BEARER | QUERY_BODY)
async def query_by_post(request: Request, base: Base = None) -> Response:
    """Evaluate a SPARQL query in the body over the living graph."""
    client_of(request)
    return await _answered(request, await asked_in_body(request), base)


async def _answered(request: Request, asked: Asked, base: str | None) -> Response:
    require_reader(client_of(request))
    query = asked.parsed(base_of(request, base))
    media_type = media_type_for(request, is_graph=gives_triples(query))
    return _response(await node_of(request).replica.query(query, media_type))


# Events


@router.get("/events/sparql", responses=_PROBLEMS, openapi_extra=BEARER)
async def query_events_by_get(request: Request, query: QueryText = None) -> Response:
    """Evaluate a SPARQL query over every event that is kept; without one, describe the service, in RDF."""
    if query is None:
        return _described(request, UNION_DEFAULT_GRAPH)
    return await _answered_by_events(request, Asked(_one_of(request, query), dict(request.query_params)))


@router.post("/events/sparql", responses=_PROBLEMS, openapi_extra=BEARER | QUERY_BODY)
async def query_events_by_post(request: Request) -> Response:
    """Evaluate a SPARQL query in the body over every event that is kept."""
    client_of(request)
    return await _answered_by_events(request, await asked_in_body(request))


async def _answered_by_events(request: Request, asked: Asked) -> Response:
    require_reader(client_of(request))
    for name in DATASET:
        if asked.graphs.get(name):
            raise RefusedFeature("FROM", f"{name} is refused, as FROM is: a query asks everything that is kept")
    media_type = media_type_for(request, is_graph=is_graph_query(asked.text))
    return _response(await node_of(request).event_queries.query(asked.text, media_type))


# Both


def graph_named(iri: str) -> NamedNode:
    """The graph of a request's parameter."""
    try:
        return NamedNode(iri)
    except ValueError as error:
        raise InputError(wanted="the IRI of a graph", found=f"{iri!r}: {error}") from None


def _described(request: Request, *features: str) -> Response:
    """What the endpoint is, for clients that may ask it."""
    require_reader(client_of(request))
    if unknown := sorted(set(request.query_params)):
        raise InputError(wanted="a parameter `query`, or none at all", found=", ".join(unknown))
    return description(request, str(request.url), features)


def _one_of(request: Request, query: str) -> str:
    """The query of a request that has one."""
    count = len(request.query_params.getlist("query"))
    if count > 1:
        raise InputError(wanted="exactly one parameter `query`", found=str(count))
    if "\ufffd" in query and b"%EF%BF%BD" not in request.scope["query_string"].upper():
        raise InputError(wanted="UTF-8", found="a query that is none")
    return query


def gives_triples(query: DatasetQuery) -> bool:
    """Whether a query is a CONSTRUCT or a DESCRIBE."""
    return isinstance(query.query, ast.ConstructQuery | DescribeQuery)


async def asked_in_body(request: Request) -> Asked:
    """The query in a body, as it is or in a form."""
    media_type = media_type_of(request)
    if media_type == "application/sparql-query":
        given = {name: request.query_params.getlist(name) for name in DATASET}
        return Asked(await text_of(request), given)
    if media_type != FORM:
        raise UnknownFormat(wanted=f"a query as application/sparql-query or {FORM}", found=repr(media_type))
    fields = await read_form(request, _FORM_BYTES)
    if len(fields.get("query", ())) != 1:
        raise InputError(wanted="exactly one field `query`", found="none or several")
    return Asked(fields["query"][0], fields)


def media_type_for(request: Request, *, is_graph: bool) -> str:
    """In which syntax a client wants its answer."""
    found = chosen(request.headers.get("accept"), GRAPHS if is_graph else [*RESULTS, *_ALIASES])
    return _ALIASES.get(found, found)


def _response(result: Result) -> Response:
    return Response(result.content, media_type=result.media_type)
