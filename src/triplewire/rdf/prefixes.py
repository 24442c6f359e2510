"""Prefixes for people: those that everybody knows, and short ones made for other namespaces."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from triplewire.rdf.terms import RDF, RDFS, TW, XSD

WELL_KNOWN: Mapping[str, str] = {
    "rdf": RDF,
    "rdfs": RDFS,
    "xsd": XSD,
    "tw": TW,
    "owl": "http://www.w3.org/2002/07/owl#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "schema": "http://schema.org/",
}
_MOST = 30
_NAMESPACE = re.compile(r".*[/#:]", re.DOTALL)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_NO_NAMES = {"http", "https", "urn", "www", "org", "com", "net", "ns"}


def prefixes_for(iris: Iterable[str]) -> dict[str, str]:
    """A prefix for each of the namespaces that have the most of some IRIs.

    >>> prefixes_for(["http://example.org/shop#a", "http://example.org/shop#b", "http://purl.org/dc/terms/title"])
    {'dcterms': 'http://purl.org/dc/terms/', 'shop': 'http://example.org/shop#'}
    >>> prefixes_for(["urn:a:1", "http://x/a#b"])
    {'a': 'urn:a:', 'a2': 'http://x/a#'}
    """
    counts = Counter(found.group() for iri in iris if (found := _NAMESPACE.match(iri)))
    known = {namespace: prefix for prefix, namespace in WELL_KNOWN.items()}
    made = {known[namespace]: str(namespace) for namespace in counts if namespace in known}
    for namespace, _ in counts.most_common(_MOST):
        if namespace not in known:
            made[_free(_word_of(namespace), made)] = namespace
    return made


def _word_of(namespace: str) -> str:
    """The last telling word of a namespace."""
    words = [word.lower() for word in _WORD.findall(namespace) if word.lower() not in _NO_NAMES]
    return words[-1][:12] if words else "ns"


def _free(word: str, taken: Mapping[str, str]) -> str:
    if word not in taken and word not in WELL_KNOWN:
        return word
    return next(name for n in range(2, _MOST + 3) if (name := f"{word}{n}") not in taken and name not in WELL_KNOWN)
