"""Queries: what a subscription asks of one event.

The dataset of an event holds the same triples twice, as the default graph and under the event's IRI. So
`GRAPH ?g { P }` asks for P in the event and binds ?g to its IRI, and a core needs no graph in its patterns: `graphs`
lists the terms that must equal the event's IRI.
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.algebra.constraints import ALWAYS, Constraint
from triplewire.algebra.patterns import Pattern, Variable, variables_of
from triplewire.rdf.terms import NamedNode


class Core(Struct, frozen=True, gc=False):
    """Patterns that must match together, under a constraint."""

    patterns: tuple[Pattern, ...]
    constraint: Constraint = ALWAYS
    graphs: tuple[Variable | NamedNode, ...] = ()

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Every variable that a match binds, in order of first appearance."""
        graph_variables = tuple(g for g in self.graphs if isinstance(g, Variable))
        return tuple(dict.fromkeys(variables_of(self.patterns) + graph_variables))


class Select(Struct, frozen=True, gc=False):
    """Solutions restricted to some variables, in their order; `distinct` drops repeats."""

    variables: tuple[Variable, ...]
    distinct: bool = False


class Ask(Struct, frozen=True, gc=False):
    """Yes or no: one empty solution, or none."""


class Construct(Struct, frozen=True, gc=False):
    """Triples made from each solution; a blank variable in the template is a fresh blank node per solution."""

    template: tuple[Pattern, ...]


Form = Select | Ask | Construct


class FastQuery(Struct, frozen=True, gc=False):
    """The fast lane: the query is its core."""

    form: Form
    core: Core


class GeneralQuery(Struct, frozen=True):
    """The general lane: evaluated by operators on events that satisfy one of the required cores.

    `requires` is sound: an event that satisfies none of them gives no solution. A core without patterns requires
    nothing; no core at all means that the query can never match. `tree` is the syntax tree, which the algebra does not
    look into; `text` is SPARQL, printed from it; `canonical` is the same with variables renamed in order of appearance,
    so that equal queries have equal text. `variables` are those that a solution may bind, in projection order.
    """

    form: Form
    requires: tuple[Core, ...]
    tree: object
    text: str
    canonical: str
    variables: tuple[Variable, ...]


Query = FastQuery | GeneralQuery


def cores_of(query: Query) -> tuple[Core, ...]:
    """What an event must satisfy one of, for the query to match."""
    return (query.core,) if isinstance(query, FastQuery) else query.requires
