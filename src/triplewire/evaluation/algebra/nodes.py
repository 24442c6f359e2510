"""SPARQL's algebra (section 18.2), as a tree.

    Pattern   QuadPattern | NegatedPattern | PathPattern | GraphExists          what looks at quads
              Table                                                            VALUES, and the empty group
              Join | Union | LeftJoin | Minus | Filter | Extend | GraphEach    what combines patterns
              Group | OrderBy | Project | Distinct | Slice                     what a sub-select adds

A graph is DefaultGraph(), a name, or ACTIVE: the one that the GraphEach around it is at. Only a QuadPattern and a
NegatedPattern may have a variable there. Expressions are those of the syntax tree, in which EXISTS has become `Exists`
here and an aggregate a variable. Literals are as the dataset keeps them.
"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.syntax import ast
from triplewire.rdf.terms import DefaultGraph, Literal, NamedNode


class _Active(Enum):
    ACTIVE = "the active graph"


ACTIVE = _Active.ACTIVE
Constant = NamedNode | Literal


class Parameter(Struct, frozen=True):
    """A constant that is said when the query is evaluated, by its number; also in expressions."""

    number: int


Position = Variable | NamedNode | Literal | Parameter
GraphTerm = DefaultGraph | NamedNode | Variable | _Active
Closure = ast.ZeroOrMore | ast.OneOrMore | ast.ZeroOrOne


class QuadPattern(Struct, frozen=True):
    """A triple pattern in a graph."""

    subject: Position
    predicate: Variable | NamedNode
    object: Position
    graph: GraphTerm


class NegatedPattern(Struct, frozen=True):
    """`!(a|b)`: any predicate but these. One solution for each quad."""

    subject: Position
    excluded: tuple[NamedNode, ...]
    object: Position
    graph: GraphTerm


class PathPattern(Struct, frozen=True):
    """`path*`, `path+` or `path?`. One solution for each pair of ends."""

    subject: Position
    path: Closure
    object: Position
    graph: GraphTerm


class GraphExists(Struct, frozen=True):
    """The named graph holds something."""

    name: NamedNode


class Table(Struct, frozen=True):
    """Solutions written down; None is UNDEF."""

    variables: tuple[Variable, ...]
    rows: tuple[tuple[Constant | None, ...], ...]


UNIT = Table((), ((),))


class Join(Struct, frozen=True):
    """All of its parts: one of each, compatible."""

    parts: tuple[Node, ...]


class Union(Struct, frozen=True):
    """The solutions of each branch."""

    branches: tuple[Node, ...]


class LeftJoin(Struct, frozen=True):
    """OPTIONAL, with the FILTERs of its group as the condition."""

    left: Node
    right: Node
    conditions: tuple[ast.Expression, ...]


class Minus(Struct, frozen=True):
    """Solutions on the left that share no binding with a compatible one on the right."""

    left: Node
    right: Node


class Filter(Struct, frozen=True):
    """Solutions for which each condition is true."""

    inner: Node
    conditions: tuple[ast.Expression, ...]


class Extend(Struct, frozen=True):
    """Solutions with a computed value; without it where there is an error."""

    inner: Node
    variable: Variable
    expression: ast.Expression


class GraphEach(Struct, frozen=True):
    """`GRAPH ?name`: the solutions in each named graph, with its name."""

    name: Variable
    inner: Node


class Group(Struct, frozen=True):
    """One solution for each group: its keys and its aggregates, by name."""

    inner: Node
    keys: tuple[tuple[Variable, ast.Expression], ...]
    aggregates: tuple[tuple[Variable, ast.Aggregate], ...]


class OrderBy(Struct, frozen=True):
    """Solutions in the order of keys."""

    inner: Node
    keys: tuple[ast.OrderKey, ...]


class Project(Struct, frozen=True):
    """Only these variables are seen outside."""

    inner: Node
    variables: tuple[Variable, ...]


class Distinct(Struct, frozen=True):
    """Each solution once."""

    inner: Node


class Slice(Struct, frozen=True):
    """OFFSET and LIMIT; without an order, by the order of terms."""

    inner: Node
    offset: int
    limit: int | None


Leaf = QuadPattern | NegatedPattern | PathPattern | GraphExists
Node = (
    Leaf
    | Table
    | Join
    | Union
    | LeftJoin
    | Minus
    | Filter
    | Extend
    | GraphEach
    | Group
    | OrderBy
    | Project
    | Distinct
    | Slice
)


class Exists(Struct, frozen=True):
    """EXISTS in an expression."""

    pattern: Node
