"""Descriptions: everything that a peer advertises, as one unit that is sent.

A registration is on mixed levels: schemas, properties, properties with values. All of it together is its content; the
peer is not part of it, so that equal content from two peers is one description with one key.

Values of one property from several advertisements are put together, as the rows of the paper's Table 1 are.

An event has one publisher, so several registrations of one client are combined too, where it registers them, and those
of different clients never are (`combined`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b

from triplewire.algebra.advertisements.advertisement import Advertisement
from triplewire.algebra.advertisements.rdf import as_turtle
from triplewire.algebra.advertisements.supply import Supply, joined, supply_of
from triplewire.algebra.advertisements.value_sets import Interval, Value
from triplewire.algebra.namespaces import namespace_of
from triplewire.errors import InputError, LimitExceeded
from triplewire.network.messages import Description
from triplewire.rdf.documents import read_document
from triplewire.rdf.formats import format_named
from triplewire.rdf.parsing.quads import parse_quads
from triplewire.rdf.terms import NamedNode, Triple

MOST_BYTES = 256 << 10
_KEPT = 16_384


def combined(descriptions: Collection[Description]) -> dict[str, Description]:
    """The registrations of one client: all of them joined, and those that cover more alone, by their keys.

    Joined, every property of an event must be named; values alone leave other properties open. LimitExceeded if even
    the schemas of all of them are too much for one description.
    """
    if len(descriptions) < 2:
        return {description.key: description for description in descriptions}
    alone = [description for description in descriptions if supply_in(description).has_only_values]
    whole = _fitting(joined([supply_in(description) for description in descriptions]))
    return {description.key: description for description in (*alone, whole)}


def _fitting(supply: Supply) -> Description:
    """The description of a supply; of a wider one where it would be too long: without values, then of schemas only."""
    named = supply.properties | supply.values.keys()
    schemas = supply.schemas | {NamedNode(namespace_of(name)) for name in named}
    for wider in (supply, Supply(supply.schemas, named)):
        with suppress(LimitExceeded):
            return _describe(wider)
    return _describe(Supply(schemas))


def describe(advertisements: Iterable[Advertisement]) -> Description:
    """The description of some advertisements together. Owners and identifiers are left out.

    >>> a = Advertisement.properties(["urn:p"], owner="Hannover")
    >>> b = Advertisement.properties(["urn:p"], owner="Crete")
    >>> describe([a]) == describe([b])
    True
    """
    return _describe(supply_of(advertisements))


def _describe(supply: Supply) -> Description:
    canonical = tuple(_advertisements(supply))
    if not canonical:
        raise InputError(subject="a description", wanted="at least one advertisement", found="none")
    rdf = as_turtle(Advertisement.triples_of_all(canonical))
    check_size(len(rdf.encode()))
    return Description(_key(supply), rdf)


def advertisements_in(description: Description) -> tuple[Advertisement, ...]:
    """The advertisements of a description, one for each level that it is on."""
    return tuple(_advertisements(supply_in(description)))


@lru_cache(maxsize=_KEPT)
def supply_in(description: Description) -> Supply:
    """The content of a description. InputError if its RDF has no advertisement, or if the key is not its own."""
    found = Advertisement.all_in(triples_in(description.rdf))
    if not found:
        raise InputError(subject="a description", wanted="at least one advertisement", found="none")
    supply = supply_of(found)
    if _key(supply) != description.key:
        raise InputError(subject="a description", wanted=f"its own key {_key(supply)!r}", found=repr(description.key))
    return supply


def triples_in(rdf: str) -> list[Triple]:
    """The triples of a Turtle document from the network."""
    # As bytes: text could be taken for the name of a file.
    data = rdf.encode()
    check_size(len(data))
    return [quad.triple for quad in parse_quads(read_document(data), format_named("turtle"))]


def check_size(size: int) -> None:
    """Raise LimitExceeded for too many bytes of advertisements."""
    if size > MOST_BYTES:
        raise LimitExceeded(
            "advertisements", MOST_BYTES, wanted=f"at most {MOST_BYTES:,} bytes of RDF", found=f"{size:,}"
        )


def _advertisements(supply: Supply) -> Iterator[Advertisement]:
    if supply.schemas:
        yield Advertisement.schemas(supply.schemas)
    if supply.properties:
        yield Advertisement.properties(supply.properties)
    if supply.offers:
        yield Advertisement.values({offer.property: offer.values for offer in supply.offers})


def _key(supply: Supply) -> str:
    return blake2b("\n".join(_canonical(supply)).encode(), digest_size=16).hexdigest()


def _canonical(supply: Supply) -> Iterator[str]:
    """The content as text that does not depend on its order."""
    yield from sorted(f"schema {iri}" for iri in supply.schemas)
    yield from sorted(f"property {iri}" for iri in supply.properties)
    yield from sorted(f"value {offer.property} {_spelled(value)}" for offer in supply.offers for value in offer.values)


def _spelled(value: Value) -> str:
    if not isinstance(value, Interval):
        return str(value)
    low = f"{'>' if value.low_open else '>='} {value.low}" if value.low is not None else ""
    high = f"{'<' if value.high_open else '<='} {value.high}" if value.high is not None else ""
    return f"{low} {high}"
