"""Updates as text, with full IRIs, so that reading the text gives the same operations again."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from triplewire.languages.sparql.printing.printer import base_of, braced, print_group
from triplewire.languages.sparql.syntax.updates import (
    Clear,
    Create,
    DeleteData,
    DeleteWhere,
    Drop,
    Graphs,
    InsertData,
    Modify,
    QuadTemplate,
    UpdateOperation,
)
from triplewire.rdf.terms import NamedNode

_DATA = {InsertData: "INSERT DATA", DeleteData: "DELETE DATA", DeleteWhere: "DELETE WHERE"}


def print_update(operations: Iterable[UpdateOperation]) -> str:
    """The text of an update, one operation a line.

    >>> from triplewire.languages.sparql.parsing.parser import parse_update
    >>> print(print_update(parse_update("BASE <urn:> copy <g> to default; insert data { <a> <b> <c>, <d> }")))
    COPY GRAPH <urn:g> TO DEFAULT ;
    INSERT DATA { <urn:a> <urn:b> <urn:c> . <urn:a> <urn:b> <urn:d> . }
    """
    return " ;\n".join([print_operation(operation) for operation in operations])


def print_operation(operation: UpdateOperation) -> str:
    """The text of one operation."""
    if isinstance(operation, InsertData | DeleteData | DeleteWhere):
        return f"{_DATA[type(operation)]} {_quads(operation.quads)}"
    if isinstance(operation, Modify):
        return _modify(operation)
    words = [type(operation).__name__.upper()]
    if operation.silent:
        words.append("SILENT")
    if isinstance(operation, Clear | Drop | Create):
        words.append(_target(operation.target))
    else:
        words += [_target(operation.source), "TO", _target(operation.target)]
    return " ".join(words)


def _target(target: NamedNode | Graphs) -> str:
    return target.value if isinstance(target, Graphs) else f"GRAPH {target}"


def _modify(operation: Modify) -> str:
    words = [base_of(operation).strip()] if base_of(operation) else []
    if operation.with_ is not None:
        words.append(f"WITH {operation.with_}")
    if operation.delete or not operation.insert:
        words.append(f"DELETE {_quads(operation.delete)}")
    if operation.insert:
        words.append(f"INSERT {_quads(operation.insert)}")
    words += [f"USING {graph}" for graph in operation.using]
    words += [f"USING NAMED {graph}" for graph in operation.using_named]
    return " ".join([*words, "WHERE", print_group(operation.where)])


def _quads(quads: Iterable[QuadTemplate]) -> str:
    parts: list[str] = []
    for graph, alike in groupby(quads, key=lambda quad: quad.graph):
        triples = " ".join([f"{quad.subject} {quad.predicate} {quad.object} ." for quad in alike])
        parts.append(triples if graph is None else f"GRAPH {graph} {{ {triples} }}")
    return braced(" ".join(parts))
