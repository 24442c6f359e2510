"""Advertisements: what a peer will publish (Chirita et al., definitions 5 to 7).

>>> d = Advertisement.values({"http://purl.org/dc/elements/1.1/date": Interval(2002, None)}, owner="SP1")
>>> print(d)
values of <http://purl.org/dc/elements/1.1/date> in {[2002, ∞)}
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from msgspec import Struct

from triplewire.algebra.advertisements.rdf import (
    PROPERTIES,
    SCHEMAS,
    VALUES,
    AdvertisementDescription,
    description_in,
    descriptions_in,
    triples_of,
    turtle_of,
)
from triplewire.algebra.advertisements.value_sets import Interval, Offer, value_set
from triplewire.errors import InputError, InvalidTerm
from triplewire.rdf.documents import read_document
from triplewire.rdf.formats import format_named, format_of_path
from triplewire.rdf.parsing.quads import parse_quads
from triplewire.rdf.terms import NamedNode, Triple

_DEFAULT_FORMAT = "turtle"


class Advertisement(Struct, frozen=True, kw_only=True):
    """What a peer will publish: one of the three kinds below. `owner` names the peer, `id` the advertisement's IRI."""

    owner: str | None = None
    id: str | None = None

    @staticmethod
    def schemas(
        namespaces: Iterable[str | NamedNode],
        *,
        owner: str | None = None,
        id: str | None = None,  # noqa: A002  the public name
    ) -> SchemaAdvertisement:
        """Definition 5: properties of these namespaces."""
        return SchemaAdvertisement(namespaces=_iris(namespaces, "schema"), owner=owner, id=_name(id))

    @staticmethod
    def properties(
        properties: Iterable[str | NamedNode],
        *,
        owner: str | None = None,
        id: str | None = None,  # noqa: A002
    ) -> PropertyAdvertisement:
        """Definition 6: these properties."""
        return PropertyAdvertisement(offered=_iris(properties, "property"), owner=owner, id=_name(id))

    @staticmethod
    def values(
        offers: Mapping[str | NamedNode, object] | Mapping[str, object] | Mapping[NamedNode, object],
        *,
        owner: str | None = None,
        id: str | None = None,  # noqa: A002
    ) -> ValueAdvertisement:
        """Definition 7: these properties with these values: terms, plain Python values, intervals, or sets of them."""
        found = [Offer(_iri(name, "property"), value_set(members)) for name, members in offers.items()]
        return ValueAdvertisement(offers=_distinct(found), owner=owner, id=_name(id))

    @staticmethod
    def parse(
        data: bytes | str | os.PathLike[str],
        format: str = _DEFAULT_FORMAT,  # noqa: A002
        source: str | None = None,
    ) -> Advertisement:
        """Read the one advertisement of an RDF document: bytes, text or a path. A file's suffix tells its format."""
        return _read(data, format, source, lambda triples: _described(description_in(triples)))

    @staticmethod
    def parse_all(
        data: bytes | str | os.PathLike[str],
        format: str = _DEFAULT_FORMAT,  # noqa: A002
        source: str | None = None,
    ) -> tuple[Advertisement, ...]:
        """Read every advertisement of an RDF document, of which there must be one at least."""
        return _read(data, format, source, _all_described)

    @staticmethod
    def all_in(triples: Iterable[Triple]) -> tuple[Advertisement, ...]:
        """Every advertisement that the triples describe."""
        return tuple(_described(description) for description in descriptions_in(triples))

    @staticmethod
    def triples_of_all(advertisements: Iterable[Advertisement]) -> list[Triple]:
        """Several advertisements in one graph, which `all_in` reads back."""
        return triples_of(*(advertisement._description() for advertisement in advertisements))

    def to_triples(self) -> list[Triple]:
        """The advertisement in RDF."""
        return triples_of(self._description())

    def to_turtle(self) -> str:
        """The advertisement as a Turtle document, which `parse` reads back."""
        return turtle_of(self._description())

    def _description(self) -> AdvertisementDescription:
        raise NotImplementedError("an advertisement is one of its three kinds")


class SchemaAdvertisement(Advertisement, frozen=True, kw_only=True):
    """A peer publishes with the properties of these namespaces."""

    namespaces: frozenset[NamedNode]

    def _description(self) -> AdvertisementDescription:
        return AdvertisementDescription(SCHEMAS, self.id, self.owner, iris=tuple(self.namespaces))

    def __str__(self) -> str:
        return f"schemas {_listed(self.namespaces)}"


class PropertyAdvertisement(Advertisement, frozen=True, kw_only=True):
    """A peer publishes with these properties."""

    offered: frozenset[NamedNode]

    def _description(self) -> AdvertisementDescription:
        return AdvertisementDescription(PROPERTIES, self.id, self.owner, iris=tuple(self.offered))

    def __str__(self) -> str:
        return f"properties {_listed(self.offered)}"


class ValueAdvertisement(Advertisement, frozen=True, kw_only=True):
    """A peer publishes with these properties and values."""

    offers: tuple[Offer, ...]

    def _description(self) -> AdvertisementDescription:
        return AdvertisementDescription(VALUES, self.id, self.owner, offers=self.offers)

    def __str__(self) -> str:
        return f"values of {'; '.join(map(str, self.offers))}"


R = TypeVar("R")


def _read(
    data: bytes | str | os.PathLike[str], name: str, source: str | None, take: Callable[[Iterable[Triple]], R]
) -> R:
    document = read_document(data, source=source)
    suffix_decides = document.path is not None and name == _DEFAULT_FORMAT
    form = format_of_path(document.path) if suffix_decides and document.path else format_named(name)
    try:
        return take([quad.triple for quad in parse_quads(document, form)])
    except InputError as error:
        raise error.located_in(document.source) from None


def _all_described(triples: Iterable[Triple]) -> tuple[Advertisement, ...]:
    found = Advertisement.all_in(triples)
    if not found:
        raise InputError(wanted="at least one advertisement", found="none")
    return found


def _described(description: AdvertisementDescription) -> Advertisement:
    owner, name = description.owner, description.id
    if description.kind == SCHEMAS:
        return Advertisement.schemas(description.iris, owner=owner, id=name)
    if description.kind == PROPERTIES:
        return Advertisement.properties(description.iris, owner=owner, id=name)
    return Advertisement.values({offer.property: offer.values for offer in description.offers}, owner=owner, id=name)


def _iri(given: str | NamedNode, what: str) -> NamedNode:
    if isinstance(given, NamedNode):
        return given
    if not isinstance(given, str):
        raise InvalidTerm(subject=f"a {what}", wanted="an IRI", found=type(given).__name__)
    try:
        return NamedNode(given)
    except ValueError as error:
        raise InvalidTerm(subject=f"a {what}", wanted="an absolute IRI", found=f"{given!r}: {error}") from None


def _iris(given: Iterable[str | NamedNode], what: str) -> frozenset[NamedNode]:
    # A lone string would be taken letter by letter.
    if isinstance(given, str | NamedNode):
        return frozenset({_iri(given, what)})
    found = frozenset(_iri(one, what) for one in given)
    if not found:
        raise InputError(subject="an advertisement", wanted=f"at least one {what}", found="none")
    return found


def _name(given: str | None) -> str | None:
    return None if given is None else _iri(given, "advertisement's id").value


def _distinct(offers: list[Offer]) -> tuple[Offer, ...]:
    if not offers:
        raise InputError(subject="a value advertisement", wanted="at least one property", found="none")
    names = [offer.property for offer in offers]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise InputError(
            subject="an advertisement", wanted="each property once (definition 7)", found=f"{repeated} twice"
        )
    return tuple(sorted(offers, key=str))


def _listed(iris: Iterable[NamedNode]) -> str:
    return ", ".join(sorted(map(str, iris)))


__all__ = [
    "Advertisement",
    "Interval",
    "Offer",
    "PropertyAdvertisement",
    "SchemaAdvertisement",
    "ValueAdvertisement",
]
