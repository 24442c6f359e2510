"""The message with which a peer registers what it will publish (Chirita et al., section 3.2), in RDF.

    [] a tw:Registration ;
        tw:peer "the peer's public identifier" ;
        tw:lasts 3600 ;
        tw:advertises [ a tw:SchemaAdvertisement ; tw:schema dc: ] ,
            [ a tw:ValueAdvertisement ; tw:offers [ tw:property dc:creator ; tw:value "W. Nejdl", "P. Chirita" ] ] .

The paper gives its message in an appendix that we do not have; the vocabulary here is our own. `tw:lasts` says after
how many seconds the registration ends unless it is repeated; without it the access point decides.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from triplewire.algebra.advertisements.advertisement import Advertisement
from triplewire.algebra.advertisements.rdf import PROPERTIES, SCHEMAS, VALUES, as_turtle
from triplewire.errors import InputError, LimitExceeded
from triplewire.network.messages import Description
from triplewire.network.routing.advertisements.descriptions import check_size, describe, triples_in
from triplewire.rdf.terms import RDF, TW, XSD, BlankNode, Literal, NamedNode, Term, Triple

MOST_ADVERTISEMENTS = 1_000
_TYPE = RDF["type"]
_REGISTRATION, _PEER, _LASTS, _ADVERTISES = TW["Registration"], TW["peer"], TW["lasts"], TW["advertises"]
_LONGEST = 10 * 365 * 86_400


class Registration(Struct, frozen=True):
    """The advertisements of a peer, and for how many seconds they last."""

    peer: str
    advertisements: tuple[Advertisement, ...]
    lasts: int | None = None

    @property
    def description(self) -> Description:
        """The description of its advertisements, without the peer."""
        return describe(self.advertisements)

    def to_turtle(self) -> str:
        """The message, which `registration_in` reads back."""
        advertised = Advertisement.triples_of_all(self.advertisements)
        subject = BlankNode("registration")
        triples = [Triple(subject, _TYPE, _REGISTRATION), Triple(subject, _PEER, Literal(self.peer))]
        if self.lasts is not None:
            triples.append(Triple(subject, _LASTS, Literal(self.lasts)))
        triples += [Triple(subject, _ADVERTISES, node) for node in _advertisements_in(advertised)]
        text = as_turtle([*triples, *advertised])
        check_size(len(text.encode()))
        return text


def registration_in(rdf: str) -> Registration:
    """Read the one registration of a Turtle document."""
    triples = triples_in(rdf)
    subject = _one_subject(triples)
    _check_advertised(triples, subject)
    advertisements = Advertisement.all_in(triples)
    return Registration(_peer(triples, subject), advertisements, _lasts(triples, subject))


def _one_subject(triples: Iterable[Triple]) -> Term:
    found = {t.subject for t in triples if t.predicate == _TYPE and t.object == _REGISTRATION}
    if len(found) != 1:
        raise InputError(wanted="exactly one node of type tw:Registration", found=str(len(found)))
    return found.pop()


def _check_advertised(triples: list[Triple], subject: Term) -> None:
    """Everything that is advertised is described, and everything described is advertised."""
    advertised, described = set(_objects(triples, subject, _ADVERTISES)), set(_advertisements_in(triples))
    if len(described) > MOST_ADVERTISEMENTS:
        raise LimitExceeded(
            "advertisements",
            MOST_ADVERTISEMENTS,
            wanted=f"at most {MOST_ADVERTISEMENTS:,} advertisements",
            found=f"{len(described):,}",
        )
    if not advertised:
        raise InputError(subject="tw:advertises", wanted="at least one advertisement", found="none")
    for node in advertised - described:
        raise InputError(subject="tw:advertises", wanted="an advertisement of one of the three kinds", found=str(node))
    for node in described - advertised:
        raise InputError(wanted="every advertisement under tw:advertises", found=f"{node} beside it")


def _advertisements_in(triples: Iterable[Triple]) -> list[Term]:
    kinds = (SCHEMAS, PROPERTIES, VALUES)
    return [triple.subject for triple in triples if triple.predicate == _TYPE and triple.object in kinds]


def _peer(triples: Iterable[Triple], subject: Term) -> str:
    found = _objects(triples, subject, _PEER)
    if len(found) != 1 or not isinstance(found[0], Literal) or not found[0].value:
        raise InputError(subject="tw:peer", wanted="one public identifier", found=_listed(found))
    return found[0].value


def _lasts(triples: Iterable[Triple], subject: Term) -> int | None:
    found = _objects(triples, subject, _LASTS)
    if not found:
        return None
    term = found[0]
    # Only the canonical digits: a registration is written by a program.
    if len(found) == 1 and isinstance(term, Literal) and term.datatype == XSD["integer"]:
        digits = term.value
        if digits.isascii() and digits.isdigit() and len(digits) < 12 and 0 < int(digits) <= _LONGEST:
            return int(digits)
    raise InputError(
        subject="tw:lasts", wanted=f"a whole number of seconds from 1 to {_LONGEST:,}", found=_listed(found)
    )


def _objects(triples: Iterable[Triple], subject: Term, name: NamedNode) -> list[Term]:
    return [triple.object for triple in triples if triple.subject == subject and triple.predicate == name]


def _listed(found: list[Term]) -> str:
    return ", ".join(map(str, found)) or "none"
