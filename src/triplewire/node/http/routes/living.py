"""`/update`, `/graph`, `/changes`: the living graph changed, by SPARQL Update, by graph and by patch; and its journal.

`/graph` is the Graph Store Protocol (SPARQL 1.1 Graph Store HTTP Protocol), with graphs named in the query string.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response
from msgspec.structs import replace

from triplewire.errors import InputError, UnknownFormat, UnknownGraph
from triplewire.languages.sparql.parsing.parser import parse_update
from triplewire.languages.sparql.syntax.limits import UPDATE_LIMITS
from triplewire.languages.sparql.syntax.updates import UpdateOperation, using_graphs
from triplewire.node.http.authentication import client_of, node_of
from triplewire.node.http.bodies import Base, base_of, media_type_of, read_body, read_form, read_text
from triplewire.node.http.direct import DirectRoute
from triplewire.node.http.negotiation import chosen
from triplewire.node.http.openapi import BEARER, JSON, documents, json_answer, json_response, problems, text_schema
from triplewire.node.http.routes.events import MOST, MOST_POSITION
from triplewire.node.http.routes.sparql import FORM, graph_named
from triplewire.node.living.edits import DEFAULT, GraphName
from triplewire.node.living.service import require_reader
from triplewire.node.rules.idempotency import IdempotencyKey
from triplewire.node.rules.rights import require_author
from triplewire.rdf.documents import Document
from triplewire.rdf.formats import FORMATS, format_of_media_type
from triplewire.rdf.parsing.quads import QuadReader
from triplewire.rdf.patches import MEDIA_TYPE as PATCH
from triplewire.rdf.patches import parse_patches
from triplewire.rdf.terms import BlankNode, DefaultGraph, NamedNode, Term, Triple
from triplewire.store.tables.identities import Client
from triplewire.wire.answers import ChangePage, ChangeReceipt, ChangeView
from triplewire.wire.change_patches import patch_of

router = APIRouter(tags=["living graph"])

UPDATE = "application/sparql-update"
POSITION = "Triplewire-Change"
# A character has up to four bytes, and in a form up to three for each of them.
_UPDATE_BYTES = 4 * UPDATE_LIMITS.text
_FORM_BYTES = 12 * UPDATE_LIMITS.text
USING = ("using-graph-uri", "using-named-graph-uri")
_MOST_WAIT = 60.0
# What is shorter is read sooner than another thread would begin to.
_INLINE = 4 * 1024
_GRAPHS = ["text/turtle", *(f.media_types[0] for f in FORMATS if f.name not in ("nquads", "turtle", "trig"))]
_WRITING = problems(400, 401, 403, 409, 413, 415, 429, 503, 507)
_CHANGED = json_answer(200, "What has changed", ChangeReceipt)
_CREATED = json_answer(201, "The same; the graph is new", ChangeReceipt)

Key = Annotated[str | None, Header(max_length=200, alias="Idempotency-Key")]
GraphIri = Annotated[str | None, Query(description="The IRI of a named graph.")]
IsDefault = Annotated[str | None, Query(alias="default", description="Without a value: the default graph.")]


def _takes(*media_types: str) -> dict[str, Any]:
    content = {kind: {"schema": text_schema(kind)} for kind in media_types}
    return {"requestBody": {"required": True, "content": content}}


_FIELDS = {"type": "object", "required": ["update"], "properties": {"update": {"type": "string"}}}
UPDATE_BODY: dict[str, Any] = {
    "requestBody": {"required": True, "content": {UPDATE: {"schema": {"type": "string"}}, FORM: {"schema": _FIELDS}}}
}


# SPARQL Update


@router.post("/update", responses=_CHANGED | _WRITING, openapi_extra=BEARER | UPDATE_BODY)
async def update(
    request: Request,
    using: Annotated[list[str] | None, Query(alias=USING[0], description="As USING, for every WHERE.")] = None,
    using_named: Annotated[
        list[str] | None, Query(alias=USING[1], description="As USING NAMED, for every WHERE.")
    ] = None,
    base: Base = None,
    key: Key = None,
) -> Response:
    """Execute a SPARQL 1.1 Update request: all of it, as one transaction, or nothing."""
    node, client = node_of(request), client_of(request)
    require_author(client)
    text, graphs = await update_in(request, using or [], using_named or [])
    operations = await parsed_update(text, base, graphs)
    digest = repr((base, graphs)).encode(errors="replace") + text.encode(errors="replace")
    return _answer(await node.broker.living.update(client, operations, _key(request, client, key, digest)))


PLAIN_UPDATE = DirectRoute("POST", "/update", update, headers=frozenset((b"idempotency-key",)))

Named = tuple[list[str], list[str]]


async def update_in(request: Request, using: list[str], using_named: list[str]) -> tuple[str, Named]:
    """The update in a body, and the graphs that the request names."""
    media_type = media_type_of(request)
    if media_type == UPDATE:
        return await read_text(request, _UPDATE_BYTES), (using, using_named)
    if media_type != FORM:
        raise UnknownFormat(wanted=f"an update as {UPDATE} or {FORM}", found=repr(media_type))
    fields = await read_form(request, _FORM_BYTES)
    if len(fields.get("update", ())) != 1:
        raise InputError(wanted="exactly one field `update`", found="none or several")
    return fields["update"][0], (fields.get(USING[0], []), fields.get(USING[1], []))


async def parsed_update(text: str, base: str | None, graphs: Named) -> tuple[UpdateOperation, ...]:
    """A request by SPARQL Update; a long one is read on another thread."""
    is_short = len(text) <= _INLINE
    return _parsed(text, base, graphs) if is_short else await asyncio.to_thread(_parsed, text, base, graphs)


def _parsed(text: str, base: str | None, graphs: Named) -> tuple[UpdateOperation, ...]:
    using, using_named = ([graph_named(iri) for iri in named] for named in graphs)
    return using_graphs(parse_update(text, base), using, using_named)


# Graphs


_READING = documents(*_GRAPHS) | problems(400, 401, 403, 404, 406, 503)


@router.head("/graph", responses=_READING, openapi_extra=BEARER)
async def head_graph(request: Request, graph: GraphIri = None, default: IsDefault = None) -> Response:
    """What GET answers, without the triples."""
    return await read_graph(request, graph, default)


@router.get("/graph", responses=_READING, openapi_extra=BEARER)
async def read_graph(request: Request, graph: GraphIri = None, default: IsDefault = None) -> Response:
    """The triples of one graph, in any RDF format. A graph that holds nothing is not there, but for the default one."""
    require_reader(client_of(request))
    place = _place(graph, default)
    media_type = chosen(request.headers.get("accept"), _GRAPHS)
    result = await node_of(request).replica.graph(place, media_type)
    if isinstance(place, NamedNode) and result.is_empty:
        raise UnknownGraph(wanted=f"the graph {place}", found="none of that name")
    return Response(result.content, media_type=result.media_type)


@router.put("/graph", responses=_CHANGED | _CREATED | _WRITING, openapi_extra=BEARER | _takes(*_GRAPHS))
async def put_graph(
    request: Request, graph: GraphIri = None, default: IsDefault = None, base: Base = None, key: Key = None
) -> Response:
    """Give a graph the content of the body."""
    node, client = node_of(request), client_of(request)
    place = _place(graph, default)
    triples, data = await _triples(request, client, place, base)
    done = await node.broker.living.replace_graph(client, place, triples, _key(request, client, key, data))
    return _answer(done)


@router.post("/graph", responses=_CHANGED | _CREATED | _WRITING, openapi_extra=BEARER | _takes(*_GRAPHS))
async def post_graph(
    request: Request, graph: GraphIri = None, default: IsDefault = None, base: Base = None, key: Key = None
) -> Response:
    """Add the triples of the body to a graph. Blank nodes are new ones."""
    node, client = node_of(request), client_of(request)
    place = _place(graph, default)
    triples, data = await _triples(request, client, place, base)
    return _answer(await node.broker.living.add_to_graph(client, place, triples, _key(request, client, key, data)))


@router.delete("/graph", responses=_CHANGED | _WRITING | problems(404), openapi_extra=BEARER)
async def delete_graph(
    request: Request, graph: GraphIri = None, default: IsDefault = None, key: Key = None
) -> Response:
    """Remove a graph; the default one becomes empty. An event that was merged in is withdrawn like that."""
    node, client = node_of(request), client_of(request)
    place = _place(graph, default)
    return _answer(await node.broker.living.delete_graph(client, place, _key(request, client, key, b"")))


@router.patch("/graph", responses=_CHANGED | _WRITING, openapi_extra=BEARER | _takes(PATCH))
async def patch_graphs(request: Request, key: Key = None) -> Response:
    """Apply an RDF Patch to the living graph; several transactions in it are one here."""
    return await _patched(request, key)


def _place(graph: str | None, default: str | None) -> GraphName:
    if (graph is None) == (default is None):
        raise InputError(wanted="one of ?default and ?graph=IRI", found="both" if graph is not None else "neither")
    return DEFAULT if graph is None else graph_named(graph)


async def _triples(request: Request, client: Client, place: GraphName, base: str | None) -> tuple[list[Triple], bytes]:
    """The triples of the body, blank nodes as new ones; and the body."""
    require_author(client)
    node = node_of(request)
    form = format_of_media_type(media_type_of(request))
    data = await read_body(request, node.settings.limits.document_bytes)
    given = base or (place.value if isinstance(place, NamedNode) else base_of(request, None))

    def parsed() -> list[Triple]:
        limits = replace(node.settings.limits, quads=node.settings.change_quads)
        reader = QuadReader(Document(data), form, base=given, limits=limits, contexts=node.contexts)
        triples: list[Triple] = []
        for quad in reader:
            if not isinstance(quad.graph_name, DefaultGraph):
                raise reader.blame(InputError(wanted="triples of one graph", found=f"a quad of {quad.graph_name}"))
            triples.append(quad.triple)
        return list(_with_new_blank_nodes(triples))

    return await asyncio.to_thread(parsed), data


def _with_new_blank_nodes(triples: Iterable[Triple]) -> Iterable[Triple]:
    names: dict[str, BlankNode] = {}

    def renamed(term: Term) -> Term:
        if isinstance(term, Triple):
            return triple_of(term)
        return names.setdefault(term.value, BlankNode()) if isinstance(term, BlankNode) else term

    def triple_of(triple: Triple) -> Triple:
        return Triple(renamed(triple.subject), triple.predicate, renamed(triple.object))  # type: ignore[arg-type]

    return (triple_of(triple) for triple in triples)


# Changes


@router.post("/changes", responses=_CHANGED | _WRITING, openapi_extra=BEARER | _takes(PATCH))
async def post_changes(request: Request, key: Key = None) -> Response:
    """The same as PATCH /graph: what one node's /changes says, another's takes."""
    return await _patched(request, key)


_PAGE = json_answer(200, "Changes, as RDF Patch or as JSON", ChangePage)
_PAGE[200]["content"][PATCH] = {"schema": {"type": "string"}}


@router.get("/changes", responses=_PAGE | problems(400, 401, 403, 406), openapi_extra=BEARER)
async def read_changes(
    request: Request,
    after: Annotated[int, Query(ge=0, le=MOST_POSITION, description="The position after which to begin.")] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 100,
    wait: Annotated[float, Query(ge=0, le=_MOST_WAIT, description="Seconds to wait for the first one.")] = 0.0,
) -> Response:
    """Changes of the living graph in order: at most `limit`, and fewer where they are large.

    `Triplewire-Change` is where to read on, `Triplewire-Gap` tells that retention has removed what was asked for.
    """
    client, living = client_of(request), node_of(request).broker.living
    media_type = chosen(request.headers.get("accept"), [PATCH, JSON])
    require_reader(client)
    if wait:
        await living.wait(after, wait)
    changes, floor, head = await living.changes(client, after, limit)
    gap = floor if after < floor else None
    position = changes[-1].position if changes else max(after, floor) if after <= head else head
    shown = tuple(ChangeView(each.position, each.time, each.added, each.removed) for each in changes)
    if media_type == JSON:
        response = json_response(ChangePage(shown, position, head, gap))
    else:
        response = Response("".join(map(patch_of, shown)), media_type=PATCH)
    response.headers[POSITION] = str(position)
    if gap is not None:
        response.headers["Triplewire-Gap"] = str(gap)
    if position < head:
        response.headers["Link"] = f'</changes?after={position}&limit={limit}>; rel="next"'
    return response


async def _patched(request: Request, key: str | None) -> Response:
    node, client = node_of(request), client_of(request)
    require_author(client)
    media_type = media_type_of(request)
    if media_type != PATCH:
        raise UnknownFormat(wanted=f"a patch as {PATCH}", found=repr(media_type))
    data = await read_body(request, node.settings.limits.document_bytes)
    limits = replace(node.settings.limits, patch_rows=2 * node.settings.change_quads)
    patches = await asyncio.to_thread(lambda: list(parse_patches(data, limits=limits)))
    if not patches:
        raise InputError(wanted="a patch with a transaction that commits", found="none")
    return _answer(await node.broker.living.patch(client, patches, _key(request, client, key, data)))


# Answers


def _key(request: Request, client: Client, key: str | None, content: bytes) -> IdempotencyKey | None:
    if key is None:
        return None
    asked = f"{request.method} {request.url.path}?{request.url.query}\n".encode()
    return IdempotencyKey(client.id, key, hashlib.sha256(asked + content).digest())


def _answer(done: ChangeReceipt) -> Response:
    response = json_response(done, 201 if done.created else 200)
    response.headers[POSITION] = str(done.position)
    return response
