"""What a SPARQL endpoint is, in RDF: SPARQL 1.1 Service Description, for requests without a query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fastapi import Request, Response
from pyoxigraph import serialize

from triplewire.errors import InputError
from triplewire.node.http.negotiation import chosen
from triplewire.rdf.formats import FORMATS, format_of_media_type
from triplewire.rdf.terms import BlankNode, NamedNode, Triple

SD = "http://www.w3.org/ns/sparql-service-description#"
_FORMATS = "http://www.w3.org/ns/formats/"
_TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
# What a query's answer may be written in, by the W3C's names for it.
_RESULT_FORMATS = (
    "SPARQL_Results_JSON",
    "SPARQL_Results_XML",
    "SPARQL_Results_CSV",
    "SPARQL_Results_TSV",
    "N-Triples",
    "Turtle",
    "TriG",
    "JSON-LD",
    "RDF_XML",
)
_OFFERED = ("text/turtle", *(form.media_types[0] for form in FORMATS if form.name not in ("turtle", "nquads")))
# The default graph is the set of all triples of the named ones.
UNION_DEFAULT_GRAPH = "UnionDefaultGraph"


def description(request: Request, endpoint: str, features: Sequence[str] = ()) -> Response:
    """An endpoint's description, in the RDF syntax that the client likes best."""
    media_type = chosen(request.headers.get("accept"), _OFFERED)
    # It gives None only where it writes into a file.
    content = serialize(triples(endpoint, features), format=format_of_media_type(media_type).syntax) or b""
    return Response(content, media_type=media_type, headers={"Vary": "Accept"})


def triples(endpoint: str, features: Sequence[str] = ()) -> Iterator[Triple]:
    """The statements about an endpoint that answers SPARQL 1.1 queries."""
    service, dataset, graph = BlankNode("service"), BlankNode("dataset"), BlankNode("default")
    yield Triple(service, _TYPE, _sd("Service"))
    yield Triple(service, _sd("endpoint"), _endpoint(endpoint))
    yield Triple(service, _sd("supportedLanguage"), _sd("SPARQL11Query"))
    for feature in features:
        yield Triple(service, _sd("feature"), _sd(feature))
    for name in _RESULT_FORMATS:
        yield Triple(service, _sd("resultFormat"), NamedNode(_FORMATS + name))
    yield Triple(service, _sd("defaultDataset"), dataset)
    yield Triple(dataset, _TYPE, _sd("Dataset"))
    yield Triple(dataset, _sd("defaultGraph"), graph)
    yield Triple(graph, _TYPE, _sd("Graph"))


def _endpoint(url: str) -> NamedNode:
    try:
        return NamedNode(url)
    except ValueError as error:
        raise InputError(wanted="a Host header that makes an IRI", found=f"{url!r}: {error}") from None


def _sd(name: str) -> NamedNode:
    return NamedNode(SD + name)
