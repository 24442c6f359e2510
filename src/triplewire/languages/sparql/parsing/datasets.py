"""Queries over a dataset: the three forms with FROM and FROM NAMED, and DESCRIBE."""

from __future__ import annotations

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.parsing.aggregation import grouped_where
from triplewire.languages.sparql.parsing.modifiers import modifiers
from triplewire.languages.sparql.parsing.prologue import prologue
from triplewire.languages.sparql.parsing.queries import form, from_clauses, trailing_values, where
from triplewire.languages.sparql.syntax.cursor import Cursor
from triplewire.languages.sparql.syntax.datasets import EMPTY_GROUP, DatasetQuery, DescribeQuery
from triplewire.languages.sparql.syntax.terms import iri, is_iri, is_variable, variable
from triplewire.rdf.terms import NamedNode


def dataset_query(cursor: Cursor) -> DatasetQuery:
    """A query, prologue included, to the end of the text."""
    cursor.from_graphs = ([], [])
    prologue(cursor)
    found = _describe(cursor) if cursor.word() == "DESCRIBE" else form(cursor)
    if cursor.tokens[cursor.at]:
        cursor.fail("the end of the query")
    default_graphs, named_graphs = cursor.from_graphs
    return DatasetQuery(found, tuple(default_graphs), tuple(named_graphs))


def _describe(cursor: Cursor) -> DescribeQuery:
    cursor.at += 1
    targets = _targets(cursor)
    from_clauses(cursor)
    pattern = where(cursor) if cursor.word() in ("WHERE", "{") else EMPTY_GROUP
    described = DescribeQuery(targets, pattern, modifiers(cursor), trailing_values(cursor))
    if cursor.aggregated or described.modifiers.group_by:
        return DescribeQuery(targets, grouped_where(cursor, described))
    return described


def _targets(cursor: Cursor) -> tuple[Variable | NamedNode, ...] | None:
    if cursor.skip("*"):
        return None
    targets: list[Variable | NamedNode] = []
    while True:
        token = cursor.tokens[cursor.at]
        if is_variable(token):
            targets.append(variable(cursor))
        elif is_iri(token):
            targets.append(iri(cursor))
        elif targets:
            return tuple(dict.fromkeys(targets))  # Oxigraph has no word for one that is named twice
        else:
            cursor.fail("'*', a variable or an IRI to describe")
