"""A repository of items, and rules on them of which three are triggered by an update.

All rules wait for the same property, and all but three for one item each, which no update is about. What an update
inserts is new each time, and so is what the three rules copy: each of them changes the repository. Every update is of
another item, so that an update costs the same whatever the number of rules is.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from triplewire.languages.rdftl import parse_rules, parse_updates
from triplewire.languages.rdftl.syntax import Rule, Update
from triplewire.rdf.terms import Literal, Namespace, Triple
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import TYPE

EX = Namespace("http://example.org/")
TRIGGERED = 3
_STRIDE = 7919
_USING = f"USING NAMESPACE ex {EX}\n"
_COPIES = ("first", "second", "third")
# Of each item: its class, the class above it, and five texts.
_CLOSURE_OF_AN_ITEM = 7
_TEXTS = ("title", *_COPIES, "note")


def schema(depth: int) -> Schema:
    """Items with texts, and a chain of properties along which rules can trigger each other."""
    names = (*_TEXTS, *(f"link{number}" for number in range(depth + 1)))
    lines = "".join(f"ex:{name} rdfs:domain ex:Thing ; rdfs:range xsd:string .\n" for name in names)
    return Schema.parse(
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
        f"@prefix ex: <{EX}> .\nex:Item rdfs:subClassOf ex:Thing .\n{lines}"
    )


def items_for(triples: int) -> int:
    """How many items have about so many triples, with their closure."""
    return triples // _CLOSURE_OF_AN_ITEM


def item_triples(first: int, last: int) -> Iterator[Triple]:
    """What is asserted of some items."""
    for number in range(first, last):
        item = EX[f"item{number}"]
        yield Triple(item, TYPE, EX["Item"])
        for name in _TEXTS:
            yield Triple(item, EX[name], Literal(f"{name} of {number}"))


def copying_rules(count: int) -> tuple[Rule, ...]:
    """Three rules that wait for a title of any item, and others that wait for a title of one item each."""
    return parse_rules(_USING + "".join(map(_copying, range(count))))


def copying_texts(count: int) -> Iterator[str]:
    """The same, each as a text of its own."""
    return (_USING + _copying(number) for number in range(count))


def _copying(number: int) -> str:
    source = "_" if number < TRIGGERED else f"resource({EX}item{number})"
    return (
        f"ON INSERT ({source}, ex:title, _) IF True "
        f"DO INSERT ($delta.source, ex:{_COPIES[number % TRIGGERED]}, $delta.target);;\n"
    )


def title_updates(items: range, count: int, mark: str) -> list[Update]:
    """Updates of items, far from each other. `mark` makes them different from all others."""
    return [
        _update(f"INSERT (resource({EX}item{items[number * _STRIDE % len(items)]}), ex:title, '{mark} {number}')")
        for number in range(count)
    ]


def cascading_rules(depth: int) -> tuple[Rule, ...]:
    """A chain: each rule triggers the next."""
    return parse_rules(
        _USING
        + "".join(
            f"ON INSERT (_, ex:link{number}, _) IF $delta.source/target(ex:title) "
            f"DO INSERT ($delta.source, ex:link{number + 1}, $delta.target);;\n"
            for number in range(depth)
        )
    )


def cascade_updates(count: int, mark: str) -> list[Update]:
    """Updates each of which sets off the whole chain."""
    return [_update(f"INSERT (resource({EX}item{number}), ex:link0, '{mark} {number}')") for number in range(count)]


def mixed_schema(properties: int, classes: int = 50) -> Schema:
    """Many properties between classes of a tree, for the analysis."""
    tree = "".join(f"ex:C{number} rdfs:subClassOf ex:C{(number - 1) // 3} .\n" for number in range(1, classes))
    lines = "".join(
        f"ex:p{number} rdfs:domain ex:C{number % classes} ; rdfs:range ex:C{number * 7 % classes} .\n"
        for number in range(properties)
    )
    return Schema.parse(f"@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n@prefix ex: <{EX}> .\n{tree}{lines}")


def mixed_rules(count: int, properties: int, seed: int) -> tuple[Rule, ...]:
    """Rules that read one property, wait for another and write a third; some insert and delete resources."""
    draw = random.Random(seed)
    return parse_rules(_USING + "".join(_mixed_rule(draw, properties) for _ in range(count)))


def _mixed_rule(draw: random.Random, properties: int) -> str:
    waits, reads, writes = (f"ex:p{draw.randrange(properties)}" for _ in range(3))
    on = draw.choice((f"INSERT (_, {waits}, _)", f"DELETE (_, {waits}, _)", f"UPDATE (_, {waits}, _ -> _)"))
    someone = f"resource({EX}r{draw.randrange(1000)})"
    do = draw.choice(
        (
            f"INSERT ($delta, {writes}, {someone})",
            f"DELETE ($delta, {writes}, _)",
            f"UPDATE ($delta, {writes}, _ -> {someone})",
            f"INSERT {someone} AS INSTANCE OF ex:C{draw.randrange(50)}",
        )
    )
    return f"ON {on} IF $delta/target({reads}) DO {do};;\n"


def _update(text: str) -> Update:
    (update,) = parse_updates(f"{_USING}{text};;")
    return update
