"""Update requests: operations with `;` between them, each of which may begin with a prologue of its own.

Blank nodes (SPARQL 1.1, sections 19.6 and 19.8): none where something is deleted; a label is used by one WHERE and by
one INSERT DATA of a request at most; a template's labels are its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.parsing.paths import simple_verb
from triplewire.languages.sparql.parsing.prologue import prologue
from triplewire.languages.sparql.parsing.triples import begins_triples, triples
from triplewire.languages.sparql.syntax.cursor import Cursor
from triplewire.languages.sparql.syntax.terms import iri, is_iri, is_variable, variable
from triplewire.languages.sparql.syntax.updates import (
    Add,
    Clear,
    Copy,
    Create,
    DeleteData,
    DeleteWhere,
    Drop,
    Graphs,
    InsertData,
    Modify,
    Move,
    OneGraph,
    QuadTemplate,
    UpdateOperation,
)
from triplewire.rdf.terms import Literal, NamedNode

Quads = tuple[QuadTemplate, ...]
QuadGraph = Variable | NamedNode | None

_QUERIES = frozenset(("SELECT", "ASK", "CONSTRUCT", "DESCRIBE"))
_ALL_GRAPHS = {graphs.value: graphs for graphs in Graphs}


def update(cursor: Cursor) -> tuple[UpdateOperation, ...]:
    """A request to the end of the text; one without operations does nothing."""
    found: list[UpdateOperation] = []
    data_labels: set[str] = set()
    while True:
        prologue(cursor)
        if not cursor.tokens[cursor.at]:
            return tuple(found)
        cursor.count_anew("patterns")
        found.append(_operation(cursor, data_labels))
        if len(found) > cursor.limits.operations:
            cursor.exceed("operations", cursor.limits.operations, "operations in one update")
        if not cursor.skip(";") and cursor.tokens[cursor.at]:
            cursor.fail("';' or the end of the update")


def _operation(cursor: Cursor, data_labels: set[str]) -> UpdateOperation:
    word = cursor.word()
    following = cursor.tokens[cursor.at + 1].upper()
    if following == "DATA":
        if word == "INSERT":
            return InsertData(_inserted_data(cursor, data_labels))
        if word == "DELETE":
            return DeleteData(_deleted_data(cursor))
    if word == "DELETE" and following == "WHERE":
        cursor.at += 2
        return DeleteWhere(_without_blank_nodes(cursor, "DELETE WHERE"))
    reader = _READERS.get(word)
    if reader is None:
        _no_operation(cursor, word)
    return reader(cursor)


def _no_operation(cursor: Cursor, word: str) -> NoReturn:
    if word == "LOAD":
        cursor.refuse("LOAD", wanted="an update of what is here", found="LOAD, which would send requests")
    if word in _QUERIES:
        cursor.refuse(word, wanted="an update", found=f"{word}, a query")
    cursor.fail("an update: INSERT, DELETE, WITH, CLEAR, DROP, CREATE, ADD, MOVE or COPY")


# Data


def _inserted_data(cursor: Cursor, data_labels: set[str]) -> Quads:
    cursor.at += 2
    start = cursor.at
    found = _data(cursor)
    labels: dict[str, int] = {}
    for place in range(start, cursor.at):
        token = cursor.tokens[place]
        if token.startswith("_:"):
            labels.setdefault(token, place)
    for label, place in labels.items():
        if label in data_labels:
            cursor.reject(
                wanted="a blank-node label of this INSERT DATA", found=f"{label}, which another one uses", at=place
            )
    data_labels.update(labels)
    return found


def _deleted_data(cursor: Cursor) -> Quads:
    cursor.at += 2
    start = cursor.at
    found = _data(cursor)
    _reject_blank_nodes(cursor, start, "DELETE DATA")
    return found


def _data(cursor: Cursor) -> Quads:
    cursor.count_anew("data")
    start = cursor.at
    found = _template(cursor)
    for place in range(start, cursor.at):
        token = cursor.tokens[place]
        if is_variable(token) and token[1:] not in cursor.forced:
            cursor.fail("no variable in data", at=place)
    for quad in found:
        if isinstance(quad.subject, Literal):
            cursor.reject(wanted="an IRI or a blank node as a subject of data", found=str(quad.subject), at=start)
    return found


# DELETE and INSERT with WHERE


def _with(cursor: Cursor) -> Modify:
    cursor.at += 1
    graph = iri(cursor)
    if cursor.word() not in ("DELETE", "INSERT"):
        cursor.fail("DELETE or INSERT after WITH")
    return _modify(cursor, graph)


def _modify(cursor: Cursor, graph: NamedNode | None = None) -> Modify:
    delete: Quads = ()
    insert: Quads = ()
    if cursor.skip_word("DELETE"):
        delete = _without_blank_nodes(cursor, "the template of DELETE")
        if cursor.skip_word("INSERT"):
            insert = _template(cursor)
    else:
        cursor.expect_word("INSERT")
        insert = _template(cursor)
    using, using_named = _using(cursor)
    cursor.expect_word("WHERE")
    cursor.end_block()
    return Modify(cursor.read_group(cursor), delete, insert, graph, using, using_named)


def _using(cursor: Cursor) -> tuple[tuple[NamedNode, ...], tuple[NamedNode, ...]]:
    using: list[NamedNode] = []
    using_named: list[NamedNode] = []
    while cursor.skip_word("USING"):
        (using_named if cursor.skip_word("NAMED") else using).append(iri(cursor))
    return tuple(using), tuple(using_named)


def _without_blank_nodes(cursor: Cursor, where: str) -> Quads:
    start = cursor.at
    found = _template(cursor)
    _reject_blank_nodes(cursor, start, where)
    return found


def _reject_blank_nodes(cursor: Cursor, start: int, where: str) -> None:
    for place in range(start, cursor.at):
        if _makes_a_blank_node(cursor.tokens[place], cursor.tokens[place + 1]):
            cursor.fail(f"no blank node in {where}", at=place)


def _makes_a_blank_node(token: str, following: str) -> bool:
    return token == "[" or token.startswith("_:") or (token == "(" and following != ")")


# Templates


def _template(cursor: Cursor) -> Quads:
    """`{ triples GRAPH name { triples } ... }`. Labels in it are its own."""
    labels, cursor.labels = cursor.labels, {}
    cursor.enter()
    cursor.expect("{")
    found: list[QuadTemplate] = []
    while not cursor.skip("}"):
        if cursor.skip_word("GRAPH"):
            name = variable(cursor) if is_variable(cursor.tokens[cursor.at]) else iri(cursor)
            found.extend(_triples_of(cursor, name))
            cursor.skip(".")
        elif begins_triples(cursor.tokens[cursor.at]):
            found.extend(_triples(cursor))
        else:
            cursor.fail("a triple, GRAPH or '}'")
    cursor.leave()
    cursor.labels = labels
    return tuple(found)


def _triples_of(cursor: Cursor, graph: QuadGraph) -> list[QuadTemplate]:
    cursor.enter()
    cursor.expect("{")
    found = _triples(cursor, graph) if cursor.tokens[cursor.at] != "}" else []
    cursor.expect("}")
    cursor.leave()
    return found


def _triples(cursor: Cursor, graph: QuadGraph = None) -> list[QuadTemplate]:
    found = triples(cursor, simple_verb)
    if begins_triples(cursor.tokens[cursor.at]):
        cursor.fail("'.' between two subjects")
    return [QuadTemplate(t.subject, t.predicate, t.object, graph) for t in found]  # type: ignore[arg-type]


# Graphs as a whole


def _clear(cursor: Cursor) -> Clear:
    silent = _silent(cursor)
    return Clear(_graphs(cursor), silent)


def _drop(cursor: Cursor) -> Drop:
    silent = _silent(cursor)
    return Drop(_graphs(cursor), silent)


def _create(cursor: Cursor) -> Create:
    silent = _silent(cursor)
    cursor.expect_word("GRAPH")
    return Create(iri(cursor), silent)


def _add(cursor: Cursor) -> Add:
    silent = _silent(cursor)
    return Add(*_from_to(cursor), silent)


def _move(cursor: Cursor) -> Move:
    silent = _silent(cursor)
    return Move(*_from_to(cursor), silent)


def _copy(cursor: Cursor) -> Copy:
    silent = _silent(cursor)
    return Copy(*_from_to(cursor), silent)


def _silent(cursor: Cursor) -> bool:
    cursor.at += 1
    return cursor.skip_word("SILENT")


def _graphs(cursor: Cursor) -> NamedNode | Graphs:
    if cursor.skip_word("GRAPH"):
        return iri(cursor)
    found = _ALL_GRAPHS.get(cursor.word())
    if found is None:
        cursor.fail("GRAPH with an IRI, DEFAULT, NAMED or ALL")
    cursor.at += 1
    return found


def _from_to(cursor: Cursor) -> tuple[OneGraph, OneGraph]:
    source = _one_graph(cursor)
    cursor.expect_word("TO")
    return source, _one_graph(cursor)


def _one_graph(cursor: Cursor) -> OneGraph:
    if cursor.skip_word("DEFAULT"):
        return Graphs.DEFAULT
    if not cursor.skip_word("GRAPH") and not is_iri(cursor.tokens[cursor.at]):
        cursor.fail("DEFAULT or the IRI of a graph")
    return iri(cursor)


_READERS: dict[str, Callable[[Cursor], UpdateOperation]] = {
    "WITH": _with,
    "INSERT": _modify,
    "DELETE": _modify,
    "CLEAR": _clear,
    "DROP": _drop,
    "CREATE": _create,
    "ADD": _add,
    "MOVE": _move,
    "COPY": _copy,
}
