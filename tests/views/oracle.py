"""What Oxigraph says, as multisets.

Where it departs from SPARQL 1.1 the query is rewritten to say the same in a way that it gets right: `a|b`, which gives
an end once however many choices lead to it, as a UNION; `GRAPH ?g { P }`, whose name is seen inside P, as a union over
the graphs that there are. FROM, which counts a triple twice if two graphs have it, by a store that has the merge. What
is left is not asked (`is_certain`): a path of length zero from a constant that the graph lacks, and, where a path may
have no length, whether terms are equal: Oxigraph takes what is at its ends for no literals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeVar

from pyoxigraph import QueryBoolean, QuerySolutions, Store
from tests.views.alternative_paths import spelled_out

from triplewire.algebra.patterns import Variable
from triplewire.evaluation.algebra.paths import may_be_empty
from triplewire.evaluation.datasets import Dataset, OxigraphDataset
from triplewire.languages.sparql.parsing.parser import parse_dataset_query
from triplewire.languages.sparql.printing.printer import print_dataset_query
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.datasets import DatasetQuery, DescribeQuery
from triplewire.languages.trees import transform, walk
from triplewire.rdf.terms import Literal, NamedNode, Quad, Term, Triple

Multiset = Counter[object]
Tree = TypeVar("Tree")


def by_oxigraph(store: Store, text: str) -> Multiset:
    """ASK has one solution without bindings, or none. A graph is a set of triples."""
    asked = parse_dataset_query(text)
    chosen = _selected(store, asked) if asked.names_its_dataset else store
    query = standardised(asked.query, OxigraphDataset(chosen))
    found = chosen.query(print_dataset_query(DatasetQuery(query)))
    if isinstance(found, QueryBoolean):
        return Counter([frozenset()] if found else [])
    if isinstance(found, QuerySolutions):
        names = found.variables
        return Counter(frozenset((n.value, row[n]) for n in names if row[n] is not None) for row in found)
    return Counter(set(found))


def _selected(store: Store, asked: DatasetQuery) -> Store:
    """A store with the dataset that FROM names. A triple that several graphs of FROM have is there once."""
    chosen = Store()
    for quad in store:
        if quad.graph_name in asked.default_graphs:
            chosen.add(Quad(quad.subject, quad.predicate, quad.object))
        if quad.graph_name in asked.named_graphs:
            chosen.add(quad)
    return chosen


def as_multiset(answer: bool | Iterable[dict[str, Term] | Triple]) -> Multiset:
    if isinstance(answer, bool):
        return Counter([frozenset()] if answer else [])
    return Counter(row if isinstance(row, Triple) else frozenset(row.items()) for row in answer)


def standardised(query: Tree, dataset: Dataset) -> Tree:
    """The query in a form that Oxigraph reads as the standard does, over this dataset."""
    graphs = [name for name in dataset.named_graphs() if isinstance(name, NamedNode)]

    def rewritten(node: object) -> object:
        if isinstance(node, ast.Graph) and isinstance(node.name, Variable):
            return _in_each(node.name, node.group, graphs)
        if isinstance(node, ast.Graph) and node.name not in graphs:
            # A graph that holds nothing is not there, whatever stands inside.
            return ast.Group((node, ast.Filter(Literal(False))))
        return ast.Group(tuple(map(spelled_out, node.elements))) if isinstance(node, ast.Group) else node

    return transform(query, rewritten)


def _in_each(name: Variable, group: ast.Group, graphs: list[NamedNode]) -> ast.Element:
    branches = [
        ast.Group((ast.Graph(graph, _with_blank_nodes_of_its_own(group, number)), ast.Values((name,), ((graph,),))))
        for number, graph in enumerate(graphs)
    ]
    if not branches:
        return ast.Values((name,), ())
    return ast.Union(tuple(branches)) if len(branches) > 1 else branches[0]


def _with_blank_nodes_of_its_own(group: ast.Group, number: int) -> ast.Group:
    """One label may stand in one group only."""
    return transform(
        group, lambda node: Variable(f"{node.name}_{number}") if isinstance(node, Variable) and node.is_blank else node
    )


def is_certain(text: str) -> bool:
    """Whether Oxigraph's word counts. Which rows a LIMIT leaves is free where rows are equal."""
    query = parse_dataset_query(text).query
    if _is_sliced(query) or any(map(_is_doubtful, walk(query, closed=(ast.Arithmetic,)))):
        return False
    patterns = [node for node in walk(query) if isinstance(node, ast.TriplePattern)]
    if any(isinstance(node, ast.Compare | ast.In | ast.NotIn) for node in walk(query)):
        return not any(_has_no_length(pattern.predicate) for pattern in patterns)
    return not any(_may_start_outside(pattern) for pattern in patterns)


def _is_doubtful(node: object) -> bool:
    """Whether a part of a query may give this or that, rows of a LIMIT, a sample, labels; or Oxigraph is wrong."""
    if isinstance(node, ast.Arithmetic):
        # What is calculated with is numbers, which have one order; of other literals one kind comes first.
        return False
    if isinstance(node, ast.Aggregate):
        # COUNT(DISTINCT *) counts blank nodes of the query there, which are no variables.
        return node.name in ("SAMPLE", "GROUP_CONCAT", "MIN", "MAX") or (node.distinct and node.argument is None)
    if isinstance(node, ast.Exists | ast.NotExists):
        # Oxigraph has the variables around it on both sides of a MINUS, so that these always share some.
        return any(isinstance(found, ast.Minus) for found in walk(node.group))
    if isinstance(node, ast.SubSelect):
        return _is_sliced(node.query) and not _is_the_first_of_iris(node.query)
    if isinstance(node, ast.SelectQuery):
        return node.duplicates is ast.Duplicates.REDUCED
    return isinstance(node, ast.ConstructQuery) and any(map(_makes_a_blank_node, node.template))


def _is_sliced(query: ast.Query | DescribeQuery) -> bool:
    return query.modifiers.limit is not None or query.modifiers.offset is not None


def _is_the_first_of_iris(query: ast.SelectQuery) -> bool:
    """Of this form queries are written for IRIs alone, which have one order."""
    is_of_one = query.duplicates is ast.Duplicates.DISTINCT and len(query.projection or ()) == 1
    return is_of_one and bool(query.modifiers.order_by) and query.modifiers.offset is None


def _makes_a_blank_node(pattern: ast.TriplePattern) -> bool:
    return any(isinstance(term, Variable) and term.is_blank for term in (pattern.subject, pattern.object))


def _has_no_length(path: Variable | ast.Path) -> bool:
    """Whether a path, or a part of it, may have none."""
    closures = (ast.ZeroOrMore, ast.ZeroOrOne, ast.OneOrMore)
    return any(may_be_empty(node) for node in walk(path) if isinstance(node, closures))


def _may_start_outside(pattern: ast.TriplePattern) -> bool:
    """Whether a path of length zero may be asked from a constant, or within other paths."""
    path = pattern.predicate
    if not _has_no_length(path):
        return False
    is_free = isinstance(pattern.subject, Variable) and isinstance(pattern.object, Variable)
    return not (is_free and isinstance(path, ast.ZeroOrMore | ast.ZeroOrOne | ast.OneOrMore))
