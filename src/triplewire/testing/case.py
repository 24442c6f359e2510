"""One question to an oracle: a SPARQL text, an event's triples and name, and the functions that the text may call."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from triplewire.rdf.terms import NamedNode, Term, Triple

Function = Callable[..., Term | None]


class Case(Struct, frozen=True):
    """What both engines are given."""

    text: str
    graph: NamedNode
    triples: tuple[Triple, ...]
    functions: dict[NamedNode, Function]
