"""Queries over a dataset with several graphs: FROM, FROM NAMED and DESCRIBE.

A subscription sees one event and has none of them; a query over the living graph has all.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.syntax.ast import NO_MODIFIERS, Group, Modifiers, Query, Values
from triplewire.rdf.terms import NamedNode

EMPTY_GROUP = Group(())


class DescribeQuery(Struct, frozen=True):
    """`DESCRIBE ?x <iri> ... WHERE { ... }`. Targets of `None` are `*`; without WHERE the group is empty."""

    targets: tuple[Variable | NamedNode, ...] | None
    where: Group = EMPTY_GROUP
    modifiers: Modifiers = NO_MODIFIERS
    values: Values | None = None


class DatasetQuery(Struct, frozen=True):
    """A query, and the graphs that its FROM and FROM NAMED name.

    With neither, it is asked over the whole dataset. With one of them, the default graph is the merge of those of FROM,
    none of them being an empty graph, and the named graphs are those of FROM NAMED (SPARQL 1.1, section 13.2).
    """

    query: Query | DescribeQuery
    default_graphs: tuple[NamedNode, ...] = ()
    named_graphs: tuple[NamedNode, ...] = ()

    @property
    def names_its_dataset(self) -> bool:
        return bool(self.default_graphs or self.named_graphs)

    def over(self, default_graphs: Sequence[NamedNode], named_graphs: Sequence[NamedNode]) -> DatasetQuery:
        """The query over the graphs that a request names, which win over FROM (SPARQL 1.1 Protocol, section 2.1.4)."""
        if not default_graphs and not named_graphs:
            return self
        return DatasetQuery(self.query, tuple(default_graphs), tuple(named_graphs))
