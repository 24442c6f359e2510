"""Shapes: a query without its constants, so that many views are one.

Constants in the place of a subject or an object become parameters, and so do those that a required `?x = constant` asks
for; variables are numbered. What is left, predicates and graphs above all, is what a changed quad is looked up by.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from triplewire.algebra.constraints import Comparator
from triplewire.algebra.patterns import Variable
from triplewire.evaluation.algebra import nodes
from triplewire.evaluation.algebra.nodes import Node
from triplewire.evaluation.algebra.variables import certain
from triplewire.evaluation.compilation import required_patterns
from triplewire.languages.sparql.syntax import ast
from triplewire.rdf.literals.values import Kind, number, value_of
from triplewire.rdf.terms import NamedNode, Term
from triplewire.views.maintenance.leaves import Leaf

# A parameter's value: a term, or a number, by which all literals of that value are found.
Value = Term | float
Constants = tuple[Value, ...]
_EXACT = frozenset((Kind.IRI, Kind.STRING, Kind.LANG_STRING))


class Shape(Struct, frozen=True):
    """What views have in common.

    `leaves` have parameters for constants; `required` are those of them that every solution has to match; `pinned` are
    variables that have to have the value of a parameter. `default_graphs` and `named_graphs` are those of FROM.
    """

    leaves: tuple[Leaf, ...]
    required: tuple[nodes.QuadPattern, ...]
    pinned: tuple[tuple[str, int], ...]
    default_graphs: tuple[NamedNode, ...]
    named_graphs: tuple[NamedNode, ...]


def parameter(number: int) -> Variable:
    """The variable that stands for a constant."""
    return Variable(f"${number}")


def parameters_in(names: Iterable[str]) -> list[int]:
    """The numbers of the parameters among some variables."""
    return sorted(int(name[1:]) for name in names if name.startswith("$"))


def value_sought(term: Term) -> Value | None:
    """What `?x = term` has to find: the term, or its number; None if equal terms cannot be told by looking."""
    found = number(term)
    if found is not None:
        return float(found)
    return term if value_of(term).kind in _EXACT else None


class Pin(Struct, frozen=True):
    """A variable that has to be equal to a constant in every solution."""

    name: str
    parameter: int


class Shaping:
    """Makes the shape of one template."""

    def __init__(self) -> None:
        self._variables: dict[str, str] = {}

    def shape(
        self,
        leaves: Iterable[Leaf],
        pattern: Node | None,
        pins: Iterable[Pin],
        default_graphs: tuple[NamedNode, ...],
        named_graphs: tuple[NamedNode, ...],
    ) -> Shape:
        """The shape of a query with these leaves; `pattern` is what is required, None if nothing is."""
        lifted = tuple(self._leaf(leaf) for leaf in leaves)
        found = [] if pattern is None else [p for p in required_patterns(pattern) if isinstance(p, nodes.QuadPattern)]
        required = tuple(self._quad_pattern(quad_pattern) for quad_pattern in found)
        pinned = tuple((self._name(pin.name), pin.parameter) for pin in pins)
        return Shape(lifted, required, pinned, default_graphs, named_graphs)

    def _leaf(self, leaf: Leaf) -> Leaf:
        kept = None if leaf.kept is None else frozenset(self._name(name) for name in sorted(leaf.kept))
        graph = None if leaf.graph is None else self._name(leaf.graph)
        return Leaf(self._pattern(leaf.pattern), kept, graph)

    def _pattern(self, pattern: nodes.Leaf | nodes.GraphEach) -> nodes.Leaf | nodes.GraphEach:
        if isinstance(pattern, nodes.QuadPattern):
            return self._quad_pattern(pattern)
        if isinstance(pattern, nodes.GraphEach):
            return nodes.GraphEach(Variable(self._name(pattern.name.name)), nodes.UNIT)
        if isinstance(pattern, nodes.GraphExists):
            return pattern
        return replace(
            pattern,
            subject=self._term(pattern.subject),
            object=self._term(pattern.object),
            graph=self._term(pattern.graph),
        )

    def _quad_pattern(self, pattern: nodes.QuadPattern) -> nodes.QuadPattern:
        return nodes.QuadPattern(
            self._term(pattern.subject),
            self._term(pattern.predicate),
            self._term(pattern.object),
            self._term(pattern.graph),
        )

    def _term(self, term: Any) -> Any:
        if isinstance(term, nodes.Parameter):
            return parameter(term.number)
        return Variable(self._name(term.name)) if isinstance(term, Variable) else term

    def _name(self, name: str) -> str:
        return self._variables.setdefault(name, f"v{len(self._variables)}")


def pins_in(node: Node) -> Iterator[Pin]:
    """What conditions around the required patterns pin."""
    if isinstance(node, nodes.Extend):
        yield from pins_in(node.inner)
    elif isinstance(node, nodes.Filter):
        yield from pins_in(node.inner)
        sure = certain(node.inner)
        for condition in node.conditions:
            found = _pin(condition)
            if found is not None and found.name in sure:
                yield found


def _pin(condition: object) -> Pin | None:
    if not isinstance(condition, ast.Compare) or condition.operator is not Comparator.EQUAL:
        return None
    sides: tuple[object, object] = (condition.left, condition.right)
    for name, constant in (sides, sides[::-1]):
        if isinstance(name, Variable) and isinstance(constant, nodes.Parameter):
            return Pin(name.name, constant.number)
    return None
