"""A query taken apart: its pattern, what wraps it, and what becomes of a solution."""

from __future__ import annotations

from msgspec import Struct

from triplewire.algebra.patterns import Variable
from triplewire.evaluation.algebra import nodes
from triplewire.evaluation.algebra.translation import Keeping, Translation, sliced
from triplewire.evaluation.datasets import DEFAULT_GRAPH, Dataset, Selected
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.datasets import DatasetQuery, DescribeQuery
from triplewire.languages.sparql.syntax.scope import projected, visible_in
from triplewire.rdf.literals.kept import as_kept
from triplewire.rdf.terms import NamedNode

AnyQuery = ast.Query | DescribeQuery | DatasetQuery


class Form(Struct, frozen=True):
    """What is asked.

    `wrapped` is the pattern with grouping, HAVING, VALUES and the expressions of SELECT around it; `order`, `names`,
    `distinct` and the slice are what is done to its solutions then. `node` says all of it as one tree.
    """

    query: ast.Query | DescribeQuery
    wrapped: nodes.Node
    order: tuple[ast.OrderKey, ...]
    names: tuple[str, ...]
    distinct: bool
    offset: int
    limit: int | None
    node: nodes.Node
    default_graphs: tuple[NamedNode, ...]
    named_graphs: tuple[NamedNode, ...]

    @property
    def is_sliced(self) -> bool:
        return self.limit is not None or self.offset > 0

    def dataset(self, dataset: Dataset) -> Dataset:
        """The graphs that FROM and FROM NAMED leave of a dataset."""
        if not self.default_graphs and not self.named_graphs:
            return dataset
        return Selected(dataset, self.default_graphs, self.named_graphs)


def form_of(asked: AnyQuery, kept: Keeping = as_kept) -> Form:
    """Take a query apart. `kept` is how the dataset keeps a literal."""
    whole = asked if isinstance(asked, DatasetQuery) else DatasetQuery(asked)
    query = whole.query
    projection = query.projection or () if isinstance(query, ast.SelectQuery) else ()
    aliases = [item for item in projection if isinstance(item, ast.Alias)]
    wrapped, expressions, order = Translation(kept).grouped(
        query, [alias.expression for alias in aliases], DEFAULT_GRAPH
    )
    for alias, expression in zip(aliases, expressions, strict=True):
        wrapped = nodes.Extend(wrapped, alias.variable, expression)
    variables = _shown(query)
    distinct = isinstance(query, ast.SelectQuery) and query.duplicates is ast.Duplicates.DISTINCT
    found: nodes.Node = nodes.Project(nodes.OrderBy(wrapped, order) if order else wrapped, variables)
    modifiers = query.modifiers
    return Form(
        query,
        wrapped,
        order,
        tuple(variable.name for variable in variables),
        distinct,
        modifiers.offset or 0,
        modifiers.limit,
        sliced(nodes.Distinct(found) if distinct else found, modifiers),
        whole.default_graphs,
        whole.named_graphs,
    )


def targets_of(query: DescribeQuery) -> tuple[Variable | NamedNode, ...]:
    """What a DESCRIBE describes, `*` spelled out."""
    return (
        visible_in(query.where, *([query.values] if query.values else [])) if query.targets is None else query.targets
    )


def _shown(query: ast.Query | DescribeQuery) -> tuple[Variable, ...]:
    if isinstance(query, ast.SelectQuery):
        return projected(query)
    if isinstance(query, DescribeQuery):
        return tuple(dict.fromkeys(target for target in targets_of(query) if isinstance(target, Variable)))
    return _visible(query)


def _visible(query: ast.Query | DescribeQuery) -> tuple[Variable, ...]:
    return visible_in(query.where, *([query.values] if query.values else []))
