"""The syntax tree of a SPARQL 1.1 Update request: a tuple of operations, in the order of the text.

    UpdateOperation   InsertData | DeleteData | DeleteWhere | Modify | Clear | Drop | Create | Add | Move | Copy

Terms are those of queries. A blank node is a `Variable` whose name begins with `_:`: in INSERT DATA it stands for one
new blank node an operation, in the template of INSERT for a new one a solution, in WHERE for anything. LOAD, which
would fetch something, is refused when the text is read.
"""

from __future__ import annotations

import typing
from collections.abc import Iterable, Sequence
from enum import Enum
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from triplewire.algebra.patterns import Variable
from triplewire.errors import InputError
from triplewire.languages.sparql.syntax.ast import Graph, Group, Term, TriplePattern, TriplesBlock
from triplewire.rdf.terms import NamedNode


class Graphs(Enum):
    """Graphs that are not named one by one."""

    DEFAULT = "DEFAULT"
    NAMED = "NAMED"
    ALL = "ALL"


OneGraph = NamedNode | typing.Literal[Graphs.DEFAULT]


class QuadTemplate(Struct, frozen=True):
    """A triple of a template, and its graph. `None` is the graph that the operation is about.

    That is the graph of WITH, or the default graph.
    """

    subject: Term
    predicate: Variable | NamedNode
    object: Term
    graph: Variable | NamedNode | None = None


class InsertData(Struct, frozen=True):
    """`INSERT DATA { ... }`: no variables, but for blank nodes."""

    quads: tuple[QuadTemplate, ...]


class DeleteData(Struct, frozen=True):
    """`DELETE DATA { ... }`: neither variables nor blank nodes."""

    quads: tuple[QuadTemplate, ...]


class DeleteWhere(Struct, frozen=True):
    """`DELETE WHERE { ... }`: the pattern is the template; no blank nodes."""

    quads: tuple[QuadTemplate, ...]

    @property
    def where(self) -> Group:
        """The quads as a pattern."""
        return pattern_of(self.quads)


class Modify(Struct, frozen=True):
    """`WITH <g> DELETE { ... } INSERT { ... } USING <g> USING NAMED <g> WHERE { ... }`.

    An empty template is the same as none. USING and USING NAMED name the dataset of WHERE as FROM and FROM NAMED do for
    a query; WITH says which graph the templates, and without USING also WHERE, take for the default graph.
    """

    where: Group
    delete: tuple[QuadTemplate, ...] = ()
    insert: tuple[QuadTemplate, ...] = ()
    with_: NamedNode | None = None
    using: tuple[NamedNode, ...] = ()
    using_named: tuple[NamedNode, ...] = ()


class Clear(Struct, frozen=True):
    """`CLEAR SILENT GRAPH <g>`, DEFAULT, NAMED or ALL."""

    target: NamedNode | Graphs
    silent: bool = False


class Drop(Struct, frozen=True):
    """`DROP SILENT GRAPH <g>`, DEFAULT, NAMED or ALL."""

    target: NamedNode | Graphs
    silent: bool = False


class Create(Struct, frozen=True):
    """`CREATE SILENT GRAPH <g>`."""

    target: NamedNode
    silent: bool = False


class Add(Struct, frozen=True):
    """`ADD SILENT <g> TO <h>`, either of which may be DEFAULT."""

    source: OneGraph
    target: OneGraph
    silent: bool = False


class Move(Struct, frozen=True):
    """`MOVE SILENT <g> TO <h>`, either of which may be DEFAULT."""

    source: OneGraph
    target: OneGraph
    silent: bool = False


class Copy(Struct, frozen=True):
    """`COPY SILENT <g> TO <h>`, either of which may be DEFAULT."""

    source: OneGraph
    target: OneGraph
    silent: bool = False


UpdateOperation = InsertData | DeleteData | DeleteWhere | Modify | Clear | Drop | Create | Add | Move | Copy


def pattern_of(quads: Iterable[QuadTemplate]) -> Group:
    """Quads as a pattern: neighbours of one graph in one block."""
    elements: list[TriplesBlock | Graph] = []
    for graph, alike in groupby(quads, key=lambda quad: quad.graph):
        block = TriplesBlock(tuple([TriplePattern(quad.subject, quad.predicate, quad.object) for quad in alike]))
        elements.append(block if graph is None else Graph(graph, Group((block,))))
    return Group(tuple(elements))


def using_graphs(
    operations: Sequence[UpdateOperation], using: Sequence[NamedNode], using_named: Sequence[NamedNode]
) -> tuple[UpdateOperation, ...]:
    """The operations with the dataset that a request names; a text that names one too is refused.

    SPARQL 1.1 Protocol, section 2.2.3.
    """
    if not using and not using_named:
        return tuple(operations)
    return tuple(_with_using(operation, tuple(using), tuple(using_named)) for operation in operations)


def _with_using(
    operation: UpdateOperation, using: tuple[NamedNode, ...], using_named: tuple[NamedNode, ...]
) -> UpdateOperation:
    if isinstance(operation, DeleteWhere):
        return Modify(operation.where, delete=operation.quads, using=using, using_named=using_named)
    if not isinstance(operation, Modify):
        return operation
    if operation.with_ or operation.using or operation.using_named:
        raise InputError(
            wanted="an update without WITH, USING and USING NAMED, since the request names the graphs", found="one"
        )
    return replace(operation, using=using, using_named=using_named)
