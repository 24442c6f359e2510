"""Constants out of a query: what is left is a template, which many views share.

Constants become parameters where they stand as a subject or object of a pattern, or in an expression. Predicates,
graphs, VALUES and what CONSTRUCT and DESCRIBE make or name stay: the first two are what a changed quad is looked up by.
"""

from __future__ import annotations

from typing import Any

import msgspec

from triplewire.evaluation.algebra.nodes import Parameter
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.datasets import DatasetQuery
from triplewire.languages.trees import transform
from triplewire.rdf.literals.kept import as_kept
from triplewire.rdf.terms import Literal, NamedNode, Term

Constants = tuple[Term, ...]


def template_of(asked: DatasetQuery) -> tuple[DatasetQuery, Constants]:
    """A query without its constants, and these.

    >>> from triplewire.languages.sparql.parsing.parser import parse_dataset_query
    >>> one, two = (parse_dataset_query(f"ASK {{ ?x <urn:p> <urn:{name}> }}") for name in "ab")
    >>> template_of(one)[0] == template_of(two)[0], template_of(two)[1]
    (True, (<NamedNode value=urn:b>,))
    """
    lifting = _Lifting()
    query: Any = asked.query
    parts = {"where": lifting.lifted(query.where), "modifiers": lifting.lifted(query.modifiers)}
    if isinstance(query, ast.SelectQuery):
        parts["projection"] = lifting.lifted(query.projection)
    template = msgspec.structs.replace(query, **parts)
    return DatasetQuery(template, asked.default_graphs, asked.named_graphs), tuple(lifting.constants)


class _Lifting:
    """Numbers constants in the order in which they come; the same one twice is two."""

    def __init__(self) -> None:
        self.constants: list[Term] = []

    def lifted(self, tree: Any) -> Any:
        return transform(tree, self._rewritten, (ast.TriplePattern, ast.Values))

    def _rewritten(self, node: Any) -> Any:
        if isinstance(node, ast.TriplePattern):
            return ast.TriplePattern(self._constant(node.subject), node.predicate, self._constant(node.object))
        if isinstance(node, ast.Compare):
            return ast.Compare(node.operator, self._constant(node.left), self._constant(node.right))
        if isinstance(node, ast.In | ast.NotIn):
            return type(node)(self._constant(node.operand), self._constants(node.choices))
        if isinstance(node, ast.BuiltIn):
            return msgspec.structs.replace(node, arguments=self._constants(node.arguments))
        if isinstance(node, ast.Operation):
            return ast.Operation(node.operator, self._constant(node.operand))
        return node

    def _constants(self, terms: tuple[ast.Expression, ...]) -> tuple[ast.Expression, ...]:
        return tuple([self._constant(term) for term in terms])

    def _constant(self, term: Any) -> Any:
        if not isinstance(term, NamedNode | Literal):
            return term
        self.constants.append(as_kept(term))
        return Parameter(len(self.constants) - 1)
