"""Terms, events and values: what RDF is, before anybody asks anything of it.

terms      pyoxigraph's terms and the vocabularies that we name
limits     how much a document and an event may be
formats    the syntaxes, by name, suffix and media type
folders    which files of a folder count
documents  text of known size and encoding; nesting, markup, entities, contexts check it; parsing turns it into quads
events     one graph IRI and its triples; grouping, blanks, skolem and minting help to make them
reading    limits, base and contexts for many documents; splitting makes an event of each subject
coercion   what people hold, as events
solutions  rows of answers, for pandas, rdflib and notebooks; sparql_json is their form on the wire
interop    to and from rdflib
values     what a literal's value is and how values compare; numbers, dates and text know the lexical forms
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
