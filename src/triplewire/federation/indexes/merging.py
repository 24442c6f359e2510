"""Schemas of many, merged as far as they fit.

What does not fit is left out with the reason, and the rest goes on: a class that would be below itself, a property
whose values nothing could be, a name that is a class here and a property there. A schema is not blamed for what it says
itself: what one node takes, it takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from itertools import combinations

from msgspec import Struct

from triplewire.errors import InputError
from triplewire.rdf.terms import NamedNode
from triplewire.rules.literals import may_share
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import is_datatype

EMPTY = Schema(())


class Merged(Struct, frozen=True):
    """What fits together, and the reason for each that is left out, by name."""

    schema: Schema
    left_out: Mapping[str, str] = {}


def merged(parts: Iterable[tuple[str, Schema]], base: Schema = EMPTY) -> Merged:
    """The parts on top of a base. Of parts that contradict each other those that come first are taken."""
    parts = list(parts)
    try:
        together = reduce(Schema.merge, [schema for _, schema in parts if not schema.triples <= base.triples], base)
        found = _contradictions(together)
    except InputError:
        return _one_by_one(parts, base)
    # Mostly everything fits, and is merged at once.
    own = _contradictions(base).keys() | {key for _, schema in parts for key in _contradictions(schema)}
    return Merged(together) if found.keys() <= own else _one_by_one(parts, base)


def _one_by_one(parts: Iterable[tuple[str, Schema]], base: Schema) -> Merged:
    left_out = {}
    for name, schema in parts:
        try:
            together = base.merge(schema)
        except InputError as error:
            left_out[name] = error.message
            continue
        own = _contradictions(base).keys() | _contradictions(schema).keys()
        reason = next((said for key, said in _contradictions(together).items() if key not in own), None)
        if reason is None:
            base = together
        else:
            left_out[name] = reason
    return Merged(base, left_out)


def _contradictions(schema: Schema) -> dict[NamedNode, str]:
    """What nothing could conform to, by the name that it is about."""
    return dict(_found(schema))


def _found(schema: Schema) -> Iterator[tuple[NamedNode, str]]:
    for name in sorted(schema.classes & schema.properties, key=str):
        yield name, f"{name} is a class and a property"
    for prop in sorted(schema.properties, key=str):
        for one, other in combinations(sorted(schema.range(prop), key=str), 2):
            if not _may_meet(one, other):
                yield prop, f"no value of {prop} could be of {one} and of {other}"
                break


def _may_meet(one: NamedNode, other: NamedNode) -> bool:
    if is_datatype(one) != is_datatype(other):
        return False
    return not is_datatype(one) or may_share(one, other)
