"""Topics, of which each super-peer has one, so that a tenth of them has the same one, and at least one does.

A rule of a topic waits for a value of any item, asks those of the next topic whether it is open, and has those of the
topic after that mark the item. So the event, the condition and the actions concern a tenth of the super-peers each.
"""

from __future__ import annotations

from collections.abc import Iterator

from triplewire.rdf.terms import Literal, Namespace, Triple
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import TYPE

EX = Namespace("http://example.org/")
MOST_TOPICS = 10
ITEMS = 50
_USING = f"USING NAMESPACE ex {EX}\n"
_PREFIXES = (
    "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
    f"@prefix ex: <{EX}> .\nex:Item a rdfs:Class .\n"
)
_PROPERTIES = ("value", "open", "mark", "other")


def topics(super_peers: int) -> int:
    """How many topics there are."""
    return min(MOST_TOPICS, super_peers)


def topic_of(place: int, super_peers: int) -> int:
    """The topic of a super-peer."""
    return place % topics(super_peers)


def concerned(topic: int, super_peers: int) -> int:
    """How many super-peers have a topic."""
    return sum(topic_of(place, super_peers) == topic for place in range(super_peers))


def schema(*some: int) -> Schema:
    """The schema of some topics."""
    names = (f"{name}{topic}" for topic in some for name in _PROPERTIES)
    lines = "".join(f"ex:{name} rdfs:domain ex:Item ; rdfs:range xsd:string .\n" for name in names)
    return Schema.parse(_PREFIXES + lines)


def triples(topic: int) -> Iterator[Triple]:
    """What a peer with a topic begins with: items, and some data of each property."""
    for number in range(ITEMS):
        yield Triple(EX[f"item{number}"], TYPE, EX["Item"])
    for name in _PROPERTIES:
        yield Triple(EX["item0"], EX[f"{name}{topic}"], Literal("yes"))


def rule_text(topic: int, count: int) -> str:
    """The rule of a topic, in a network of so many topics. It fires for every value."""
    reads, writes = (topic + 1) % count, (topic + 2) % count
    return (
        f"RULE watch{topic} {_USING} ON INSERT (_, ex:value{topic}, _) "
        f"IF resource({EX}item0)/target(ex:open{reads}) = 'yes' "
        f"DO INSERT ($delta.source, ex:mark{writes}, $delta.target)"
    )


def link_text(topic: int) -> str:
    """A rule that has those of the next topic do the same."""
    return (
        f"RULE link{topic} {_USING} ON INSERT (_, ex:value{topic}, _) IF True "
        f"DO INSERT ($delta.source, ex:value{topic + 1}, $delta.target)"
    )


def last_text(topic: int) -> str:
    """A rule that asks those of the next topic whether it is open, and has them mark the item."""
    return (
        f"RULE last{topic} {_USING} ON INSERT (_, ex:value{topic}, _) "
        f"IF resource({EX}item0)/target(ex:open{topic + 1}) = 'yes' "
        f"DO INSERT ($delta.source, ex:mark{topic + 1}, $delta.target)"
    )


def other_text(topic: int, number: int) -> str:
    """One of many rules that wait for what does not happen."""
    return (
        f"RULE other{number} {_USING} ON DELETE (resource({EX}item{number % ITEMS}), ex:other{topic}, _) "
        f"IF resource({EX}item0)/target(ex:open{topic}) = 'no' DO DELETE ($delta.source, ex:mark{topic}, '{number}')"
    )


def update_text(topic: int, number: int) -> str:
    """An update that no other one is equal to."""
    return f"{_USING} INSERT (resource({EX}item{number % ITEMS}), ex:value{topic}, '{number}');;"
