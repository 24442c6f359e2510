"""Text to syntax tree. Size, depth and refused features are checked here, before anybody else sees the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Set
from types import MappingProxyType
from typing import TypeVar

from triplewire.errors import InputError, LimitExceeded, SyntaxProblem
from triplewire.languages.sparql.parsing.datasets import dataset_query
from triplewire.languages.sparql.parsing.groups import group
from triplewire.languages.sparql.parsing.queries import query, subselect
from triplewire.languages.sparql.parsing.updates import update
from triplewire.languages.sparql.syntax.ast import Query
from triplewire.languages.sparql.syntax.cursor import Cursor
from triplewire.languages.sparql.syntax.datasets import DatasetQuery
from triplewire.languages.sparql.syntax.limits import DEFAULT_LIMITS, UPDATE_LIMITS, QueryLimits
from triplewire.languages.sparql.syntax.tokens import resolve_code_points
from triplewire.languages.sparql.syntax.updates import UpdateOperation
from triplewire.languages.trees import is_higher_than
from triplewire.rdf.terms import NamedNode

Tree = TypeVar("Tree")
NONE: Mapping[str, str] = MappingProxyType({})

_SURROGATE = re.compile("[\ud800-\udfff]")
# One level of nesting adds at most about ten levels of tree: below this, no tree is too high.
_SHALLOW = 8
_HEIGHT_PER_DEPTH = 2


def parse_query(text: str, limits: QueryLimits = DEFAULT_LIMITS) -> Query:
    """Read a query over one event: no FROM, no DESCRIBE.

    >>> parse_query("ASK { ?s a <http://example.org/Paper> }").where.elements[0].patterns[0].subject
    Variable(name='s')
    """
    return _parsed(_cursor(text, limits), query)


def parse_dataset_query(
    text: str, base: str | None = None, limits: QueryLimits = DEFAULT_LIMITS, *, prefixes: Mapping[str, str] = NONE
) -> DatasetQuery:
    """Read a query over a dataset, with FROM, FROM NAMED and DESCRIBE.

    `base` is for relative IRIs; `prefixes` are those that the text need not declare.

    >>> parse_dataset_query("DESCRIBE <a> FROM <b>", base="http://example.org/").default_graphs
    (<NamedNode value=http://example.org/b>,)
    """
    return _parsed(_cursor(text, limits, base, prefixes), dataset_query)


def parse_update(
    text: str,
    base: str | None = None,
    limits: QueryLimits = UPDATE_LIMITS,
    *,
    prefixes: Mapping[str, str] = NONE,
    forced: Set[str] = frozenset(),
) -> tuple[UpdateOperation, ...]:
    """Read a SPARQL 1.1 Update request: its operations in order.

    `base` and `prefixes` are as for a query. `forced` names variables that may stand in data, where none may
    otherwise, since the caller is about to put terms in their place (`syntax.substitution`).

    >>> [type(operation).__name__ for operation in parse_update("CLEAR ALL; DELETE WHERE { ?s ?p ?o }")]
    ['Clear', 'DeleteWhere']
    """
    cursor = _cursor(text, limits, base, prefixes)
    cursor.forced = frozenset(forced)
    return _parsed(cursor, update)


def _cursor(text: str, limits: QueryLimits, base: str | None = None, prefixes: Mapping[str, str] = NONE) -> Cursor:
    if len(text) > limits.text:
        raise LimitExceeded(
            "text", limits.text, wanted=f"a query of at most {limits.text:,} characters", found=f"{len(text):,}"
        )
    if not text.isascii():
        _check_characters(text)
    if base is not None:
        _check_base(base)
    cursor = Cursor(resolve_code_points(text), limits, group, subselect, base)
    cursor.prefixes.update(prefixes)
    return cursor


def _parsed(cursor: Cursor, read: Callable[[Cursor], Tree]) -> Tree:
    found = read(cursor)
    if cursor.deepest > _SHALLOW:
        _check_height(found, cursor.limits.depth * _HEIGHT_PER_DEPTH)
    return found


def _check_base(base: str) -> None:
    try:
        NamedNode(base)
    except ValueError as error:
        raise InputError(wanted="an absolute IRI as the base of relative ones", found=f"<{base}>: {error}") from None


def _check_height(tree: object, allowed: int) -> None:
    parts = tree if isinstance(tree, tuple) else (tree,)
    if any(is_higher_than(part, allowed) for part in parts):
        raise LimitExceeded("depth", allowed, wanted=f"a query whose parts nest at most {allowed} deep", found="more")


def _check_characters(text: str) -> None:
    found = _SURROGATE.search(text)
    if found:
        raise SyntaxProblem.at(
            text, found.start(), wanted="Unicode text", found=f"the lone surrogate {ord(found[0]):X}"
        )
