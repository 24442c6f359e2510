"""`/vocabulary`: classes, properties and prefixes of the newest events and of the taxonomy, for completion."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from triplewire.algebra.taxonomy import Taxonomy
from triplewire.node.access.grants import covered, readable
from triplewire.node.broker.events import Seen
from triplewire.node.http.authentication import client_of, node_of
from triplewire.node.http.openapi import BEARER, json_answer, json_response, problems
from triplewire.rdf.events import Event
from triplewire.rdf.prefixes import prefixes_for
from triplewire.rdf.terms import RDF, RDFS, NamedNode, Triple
from triplewire.store.tables.identities import Grant
from triplewire.wire.console import SeenTerm, Vocabulary

router = APIRouter(tags=["events"])

MOST = 1_000
_SHOWN = 500
_TYPE = RDF["type"]


@router.get(
    "/vocabulary",
    responses=json_answer(200, "Classes and properties", Vocabulary) | problems(401, 403),
    openapi_extra=BEARER,
)
async def vocabulary(
    request: Request,
    events: Annotated[int, Query(ge=1, le=MOST, description="So many of the newest events are looked at.")] = 300,
) -> Response:
    """Classes and properties of the newest events that one may read and of the taxonomy, and prefixes for them."""
    node, client = node_of(request), client_of(request)
    grant = readable(client)
    seen = await node.broker.events.newest(client, events)
    return json_response(await asyncio.to_thread(_vocabulary, seen, node.broker.state.taxonomy, grant))


def _vocabulary(seen: Sequence[Seen], taxonomy: Taxonomy | None, grant: Grant) -> Vocabulary:
    classes: Counter[str] = Counter()
    properties: Counter[str] = Counter()
    for _, event in seen:
        for triple in event.triples:
            properties[triple.predicate.value] += 1
            if triple.predicate == _TYPE and isinstance(triple.object, NamedNode):
                classes[triple.object.value] += 1
    for term in () if taxonomy is None else _classes(taxonomy.triples, grant):
        classes[term] += 0
    names = chain(classes, properties, (name for _, event in seen for name in _names(event)))
    return Vocabulary(prefixes_for(names), _most(classes), _most(properties), len(seen))


def _names(event: Event) -> Iterator[str]:
    """The IRIs of an event and of what it is about."""
    yield event.graph.value
    for triple in event.triples:
        yield from (node.value for node in (triple.subject, triple.object) if isinstance(node, NamedNode))


def _classes(triples: Iterable[Triple], grant: Grant) -> Iterable[str]:
    """The classes of the taxonomy's hierarchy that a grant covers."""
    for triple in triples:
        for node in (triple.subject, triple.object) if triple.predicate == RDFS["subClassOf"] else ():
            if isinstance(node, NamedNode) and covered(Triple(node, _TYPE, node), grant):
                yield node.value


def _most(counts: Counter[str]) -> tuple[SeenTerm, ...]:
    return tuple(SeenTerm(iri, count) for iri, count in counts.most_common(_SHOWN))
