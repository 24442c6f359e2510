"""Terms and triples as text in messages, and blank nodes that keep their identity on the way.

A blank node means something at its own site only. Outside it is an IRI that says whose it is; at home it is itself
again, and at any other site a resource that is described elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyoxigraph import RdfFormat, parse

from triplewire.errors import LimitExceeded, MessageRefused
from triplewire.languages.rdftl.syntax import Component
from triplewire.rdf.documents import Document
from triplewire.rdf.formats import NQUADS
from triplewire.rdf.limits import DEFAULT_LIMITS
from triplewire.rdf.parsing.nesting_depth import check_nesting
from triplewire.rdf.terms import TW, BlankNode, NamedNode, Quad, Term, Triple
from triplewire.rules.changes import Changes
from triplewire.rules.graphs import Lookup
from triplewire.rules.paths import DeltaTerms

_BLANK = f"{TW}blank:"
_BEFORE = "<urn:triplewire:s> <urn:triplewire:p> "

_COMPONENTS = frozenset(component.value for component in Component)

LookupText = tuple[str, str, str]


def outward(term: Term, site: str) -> Term:
    """A term as other sites see it.

    >>> outward(BlankNode("b"), "SP1:ann")
    <NamedNode value=urn:triplewire:blank:SP1:ann:b>
    """
    return NamedNode(f"{_BLANK}{site}:{term.value}") if isinstance(term, BlankNode) else term


def inward(term: Term, site: str) -> Term:
    """A term as its own site sees it."""
    before = f"{_BLANK}{site}:"
    if isinstance(term, NamedNode) and term.value.startswith(before):
        return BlankNode(term.value.removeprefix(before))
    return term


def outward_triple(triple: Triple, site: str) -> Triple:
    return Triple(outward(triple.subject, site), triple.predicate, outward(triple.object, site))  # type: ignore[arg-type]


def outward_changes(changes: Changes, site: str) -> Changes:
    """What has changed in the closure, as other sites see it."""
    inserted = tuple(outward_triple(triple, site) for triple in changes.inserted)
    return Changes(inserted=inserted, deleted=tuple(outward_triple(triple, site) for triple in changes.deleted))


def inward_delta(delta: DeltaTerms, site: str) -> DeltaTerms:
    return {component: inward(term, site) for component, term in delta.items()}


def outward_delta(delta: DeltaTerms, site: str) -> DeltaTerms:
    return {component: outward(term, site) for component, term in delta.items()}


def term_text(term: Term) -> str:
    """A term for a message."""
    return f"<<( {term} )>>" if isinstance(term, Triple) else str(term)


def term_of(text: str) -> Term:
    """A term out of a message."""
    if text.startswith("<") and text.endswith(">") and not text.startswith("<<") and "\\" not in text:
        # Most terms are IRIs, and those need no parser.
        return iri_of(text[1:-1])
    triples = triples_of(f"{_BEFORE}{text} .")
    if len(triples) != 1:
        raise MessageRefused("term", wanted="one term", found=text)
    return triples[0].object


def iri_of(text: str) -> NamedNode:
    """An IRI out of a message."""
    try:
        return NamedNode(text)
    except ValueError as error:
        raise MessageRefused("term", wanted="an IRI", found=f"{text!r}: {error}") from None


def triples_of(text: str) -> tuple[Triple, ...]:
    """Triples out of a message, in their order."""
    return tuple(quad.triple for quad in _parsed(text, RdfFormat.N_TRIPLES, "N-Triples"))


def quads_of(text: str) -> tuple[Quad, ...]:
    """Quads out of a message, in their order."""
    return _parsed(text, RdfFormat.N_QUADS, "N-Quads")


def text_of(triples: Iterable[Triple]) -> str:
    """Triples for a message."""
    return "".join(sorted(f"{triple} .\n" for triple in triples))


def lookup_text(lookup: Lookup) -> LookupText:
    """A lookup for a message; what may be anything is empty."""
    return _or_empty(lookup.subject), _or_empty(lookup.predicate), _or_empty(lookup.target)


def lookup_of(text: LookupText) -> Lookup:
    """A lookup out of a message."""
    subject, predicate, target = (term_of(each) if each else None for each in text)
    if not (predicate is None or isinstance(predicate, NamedNode)):
        raise MessageRefused("term", wanted="an IRI as predicate", found=text[1])
    return Lookup(subject, predicate, target)


def delta_text(delta: DeltaTerms | None) -> dict[str, str] | None:
    """`$delta` for a message."""
    return None if delta is None else {component.value: term_text(term) for component, term in delta.items()}


def delta_of(text: Mapping[str, str] | None) -> DeltaTerms | None:
    """`$delta` out of a message."""
    if text is None:
        return None
    if not text.keys() <= _COMPONENTS:
        raise MessageRefused("delta", wanted="parts of $delta", found=", ".join(sorted(text)))
    return {Component(name): term_of(term) for name, term in text.items()}


def _parsed(text: str, form: RdfFormat, wanted: str) -> tuple[Quad, ...]:
    if not text:
        return ()
    if text.count("<<") > DEFAULT_LIMITS.depth:
        # The parser recurses over triple terms.
        _check_nesting(text)
    try:
        return tuple(parse(text, format=form))
    except (SyntaxError, ValueError) as error:
        raise MessageRefused("term", wanted=wanted, found=str(error)) from None


def _check_nesting(text: str) -> None:
    try:
        check_nesting(Document(text.encode()), NQUADS, DEFAULT_LIMITS)
    except LimitExceeded as error:
        raise MessageRefused("term", wanted=error.wanted, found=error.found) from None


def _or_empty(term: Term | None) -> str:
    return "" if term is None else term_text(term)
