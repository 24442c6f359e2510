"""Terms, events and values: what RDF is, before anybody asks anything of it.

terms        pyoxigraph's terms and the vocabularies that we name
events       one graph IRI and its triples, plus source and time
formats      the syntaxes, by name, file suffix and media type
documents    text of known size and encoding; which files of a folder count
limits       how much a document and an event may be (rows A3, A4 and A7)
parsing      from documents to quads and events: checked, named and grouped
prefixes     prefixes for people: those that everybody knows, and short ones made for other namespaces
patches      RDF Patch: what was added to a dataset and removed from it, as text
literals     what a literal's value is, and how values compare
coercion     what people hold in their hands, as events: an rdflib graph, a file, text
interop      to and from rdflib, term by term
solutions    rows of answers, in one shape wherever they come from
sparql_json  their form on the wire
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
