"""Terms, events and values: what RDF is, before anybody asks anything of it.

coercion     what people hold in their hands, as events: an `Event`, an rdflib graph, a file, text
documents    the text of one file or message, with its size checked and its encoding proven
events       one graph IRI and the triples in it, plus source and time
formats      the RDF syntaxes that events are read from: by name, by file suffix, by media type
interop      to and from rdflib, term by term, so that nothing is normalised on the way
limits       limits on what comes from outside, checked before and while it is read (rows A3, A4 and A7 of the
             threat table)
literals     what they are, and how they compare
parsing      from documents to quads and events: checked, named and grouped
solutions    solutions of a query, in one shape wherever they come from: a match, a notification, an answer of a
             node
sparql_json  solutions to and from SPARQL 1.1's JSON form
terms        the terms of RDF 1.1, as pyoxigraph holds them, and the few vocabularies that we name
"""

from triplewire.rdf.events import Event, merge_repeats
from triplewire.rdf.formats import FORMATS, Format, format_named, format_of_media_type, format_of_path
from triplewire.rdf.limits import DEFAULT_LIMITS, Limits
from triplewire.rdf.terms import RDF, RDFS, TW, XSD, BlankNode, Literal, NamedNode, Namespace, Quad, Term, Triple

__all__ = [
    "DEFAULT_LIMITS",
    "FORMATS",
    "RDF",
    "RDFS",
    "TW",
    "XSD",
    "BlankNode",
    "Event",
    "Format",
    "Limits",
    "Literal",
    "NamedNode",
    "Namespace",
    "Quad",
    "Term",
    "Triple",
    "format_named",
    "format_of_media_type",
    "format_of_path",
    "merge_repeats",
]
