"""Advertisements in RDF.

    [] a tw:ValueAdvertisement ;
        tw:owner "SP1" ;
        tw:offers [ tw:property dc:creator ; tw:value "W. Nejdl", "P. Chirita" ] ,
                  [ tw:property dc:year ; tw:value [ a tw:Interval ; tw:atLeast 2002 ] ] .

A tw:SchemaAdvertisement has `tw:schema` IRIs, a tw:PropertyAdvertisement `tw:property` IRIs. An interval's ends are
`tw:atLeast` or `tw:above`, and `tw:atMost` or `tw:below`. An advertisement with an IRI of its own has it as its id.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import count

import pyoxigraph
from msgspec import Struct

from triplewire.algebra.advertisements.value_sets import Interval, Offer, Value
from triplewire.errors import InputError
from triplewire.rdf.terms import RDF, TW, XSD, BlankNode, Literal, NamedNode, Term, Triple

_TYPE = RDF["type"]
SCHEMAS, PROPERTIES, VALUES = TW["SchemaAdvertisement"], TW["PropertyAdvertisement"], TW["ValueAdvertisement"]
_KINDS = (SCHEMAS, PROPERTIES, VALUES)
_OWNER, _SCHEMA, _PROPERTY, _OFFERS, _VALUE = TW["owner"], TW["schema"], TW["property"], TW["offers"], TW["value"]
_LISTED = {SCHEMAS: _SCHEMA, PROPERTIES: _PROPERTY}
_INTERVAL = TW["Interval"]
_AT_LEAST, _ABOVE, _AT_MOST, _BELOW = TW["atLeast"], TW["above"], TW["atMost"], TW["below"]


class AdvertisementDescription(Struct, frozen=True):
    """An advertisement as RDF states it: `iris` for schemas and properties, `offers` for values."""

    kind: NamedNode
    id: str | None = None
    owner: str | None = None
    iris: tuple[NamedNode, ...] = ()
    offers: tuple[Offer, ...] = ()


def description_in(triples: Iterable[Triple]) -> AdvertisementDescription:
    """The one advertisement that the triples describe."""
    graph = _Graph(triples)
    found = _advertised(graph)
    if len(found) != 1:
        kinds = ", ".join(_short(kind) for kind in _KINDS)
        raise InputError(wanted=f"exactly one advertisement (a node of type {kinds})", found=str(len(found)))
    return _described(graph, *found[0])


def descriptions_in(triples: Iterable[Triple]) -> list[AdvertisementDescription]:
    """Every advertisement that the triples describe."""
    graph = _Graph(triples)
    return [_described(graph, subject, kind) for subject, kind in _advertised(graph)]


def _advertised(graph: _Graph) -> list[tuple[Term, NamedNode]]:
    return [(subject, kind) for kind in _KINDS for subject in graph.instances(kind)]


def triples_of(*descriptions: AdvertisementDescription) -> list[Triple]:
    """The triples that describe the advertisements."""
    blanks = (BlankNode(f"b{number}") for number in count(1))
    return [triple for description in descriptions for triple in _Writer(description, blanks).triples()]


def turtle_of(*descriptions: AdvertisementDescription) -> str:
    """The same as a Turtle document."""
    return as_turtle(triples_of(*descriptions))


def as_turtle(triples: Iterable[Triple]) -> str:
    """Triples as a Turtle document, in their order."""
    prefixes = {"tw": str(TW), "xsd": str(XSD)}
    return (pyoxigraph.serialize(triples, format=pyoxigraph.RdfFormat.TURTLE, prefixes=prefixes) or b"").decode()


def _described(graph: _Graph, subject: Term, kind: NamedNode) -> AdvertisementDescription:
    name, owner = _id(subject), graph.owner(subject)
    if kind == VALUES:
        return AdvertisementDescription(kind, name, owner, offers=tuple(_offers(graph, subject)))
    return AdvertisementDescription(kind, name, owner, tuple(graph.iris(subject, _LISTED[kind])))


class _Graph:
    """Triples by subject and predicate, with the questions that the readers ask."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._objects: dict[tuple[Term, Term], list[Term]] = defaultdict(list)
        for triple in dict.fromkeys(triples):
            self._objects[triple.subject, triple.predicate].append(triple.object)

    def instances(self, cls: NamedNode) -> list[Term]:
        return [subject for (subject, name), found in self._objects.items() if name == _TYPE and cls in found]

    def objects(self, subject: Term, name: NamedNode) -> list[Term]:
        return self._objects.get((subject, name), [])

    def iris(self, subject: Term, name: NamedNode) -> list[NamedNode]:
        found = self.objects(subject, name)
        wrong = next((term for term in found if not isinstance(term, NamedNode)), None)
        if wrong is not None or not found:
            raise InputError(
                subject=_short(name), wanted="one IRI or more", found=str("none" if wrong is None else wrong)
            )
        return [term for term in found if isinstance(term, NamedNode)]

    def literal(self, subject: Term, name: NamedNode) -> Literal | None:
        found = self.objects(subject, name)
        if not found:
            return None
        if len(found) > 1 or not isinstance(found[0], Literal):
            raise InputError(subject=_short(name), wanted="one literal", found=", ".join(map(str, found)))
        return found[0]

    def owner(self, subject: Term) -> str | None:
        found = self.objects(subject, _OWNER)
        if not found:
            return None
        if len(found) > 1 or not isinstance(found[0], Literal | NamedNode):
            raise InputError(subject="tw:owner", wanted="one name or IRI", found=", ".join(map(str, found)))
        return found[0].value


def _offers(graph: _Graph, subject: Term) -> Iterator[Offer]:
    nodes = graph.objects(subject, _OFFERS)
    if not nodes:
        raise InputError(subject="a tw:ValueAdvertisement", wanted="at least one tw:offers", found="none")
    members: dict[NamedNode, list[Value]] = defaultdict(list)
    for node in nodes:
        name = _one(graph.iris(node, _PROPERTY), _PROPERTY)
        members[name] += [_value(graph, member) for member in graph.objects(node, _VALUE)]
    for name, found in members.items():
        if not found:
            raise InputError(subject="tw:value", wanted=f"at least one value for {name}", found="none")
        yield Offer(name, tuple(found))


def _value(graph: _Graph, node: Term) -> Value:
    ends = [graph.literal(node, name) for name in (_AT_LEAST, _ABOVE, _AT_MOST, _BELOW)]
    at_least, above, at_most, below = ends
    if not any(ends) and _INTERVAL not in graph.objects(node, _TYPE):
        return _constant(node)
    if (at_least and above) or (at_most and below):
        raise InputError(
            subject="an interval", wanted="one low end and one high end", found="both an open and a closed one"
        )
    return Interval(at_least or above, at_most or below, above is not None, below is not None)


def _constant(node: Term) -> NamedNode | Literal:
    if isinstance(node, NamedNode | Literal):
        return node
    raise InputError(subject="tw:value", wanted="an IRI, a literal or a tw:Interval", found=str(node))


def _one(found: list[NamedNode], name: NamedNode) -> NamedNode:
    if len(found) != 1:
        raise InputError(subject=_short(name), wanted="one IRI", found=", ".join(map(str, found)))
    return found[0]


def _id(subject: Term) -> str | None:
    return subject.value if isinstance(subject, NamedNode) else None


def _short(name: NamedNode) -> str:
    return f"tw:{name.value.removeprefix(TW)}"


class _Writer:
    """Takes its blank nodes in order, so that the same advertisement always gives the same triples."""

    def __init__(self, description: AdvertisementDescription, blanks: Iterator[BlankNode]) -> None:
        self._description = description
        self._blanks = blanks
        self._subject = NamedNode(description.id) if description.id else next(blanks)

    def triples(self) -> Iterator[Triple]:
        description = self._description
        yield Triple(self._subject, _TYPE, description.kind)
        if description.owner is not None:
            yield Triple(self._subject, _OWNER, Literal(description.owner))
        for iri in sorted(description.iris, key=str):
            yield Triple(self._subject, _LISTED[description.kind], iri)
        for offer in description.offers:
            yield from self._offer(offer)

    def _offer(self, offer: Offer) -> Iterator[Triple]:
        node = next(self._blanks)
        yield Triple(self._subject, _OFFERS, node)
        yield Triple(node, _PROPERTY, offer.property)
        for member in offer.values:
            yield from self._member(node, member)

    def _member(self, node: BlankNode, member: Value) -> Iterator[Triple]:
        if not isinstance(member, Interval):
            yield Triple(node, _VALUE, member)
            return
        interval = next(self._blanks)
        yield Triple(node, _VALUE, interval)
        yield Triple(interval, _TYPE, _INTERVAL)
        if member.low is not None:
            yield Triple(interval, _ABOVE if member.low_open else _AT_LEAST, member.low)
        if member.high is not None:
            yield Triple(interval, _BELOW if member.high_open else _AT_MOST, member.high)
