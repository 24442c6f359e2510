"""Text to syntax tree. Size, depth and refused features are checked here, before anybody else sees the text."""

from __future__ import annotations

import re

from triplewire.errors import LimitExceeded, SyntaxProblem
from triplewire.languages.sparql.parsing.groups import group
from triplewire.languages.sparql.parsing.queries import query, subselect
from triplewire.languages.sparql.syntax.ast import Query
from triplewire.languages.sparql.syntax.cursor import Cursor
from triplewire.languages.sparql.syntax.limits import DEFAULT_LIMITS, QueryLimits
from triplewire.languages.sparql.syntax.tokens import resolve_code_points
from triplewire.languages.trees import is_higher_than

_SURROGATE = re.compile("[\ud800-\udfff]")
# One level of nesting adds at most about ten levels of tree: below this, no tree is too high.
_SHALLOW = 8
_HEIGHT_PER_DEPTH = 2


def parse_query(text: str, limits: QueryLimits = DEFAULT_LIMITS) -> Query:
    """Read a SPARQL 1.1 query.

    >>> parse_query("ASK { ?s a <http://example.org/Paper> }").where.elements[0].patterns[0].subject
    Variable(name='s')
    """
    if len(text) > limits.text:
        raise LimitExceeded(
            "text", limits.text, wanted=f"a query of at most {limits.text:,} characters", found=f"{len(text):,}"
        )
    if not text.isascii():
        _check_characters(text)
    cursor = Cursor(resolve_code_points(text), limits, group, subselect)
    found = query(cursor)
    if cursor.deepest > _SHALLOW:
        _check_height(found, limits.depth * _HEIGHT_PER_DEPTH)
    return found


def _check_height(tree: Query, allowed: int) -> None:
    if is_higher_than(tree, allowed):
        raise LimitExceeded("depth", allowed, wanted=f"a query whose parts nest at most {allowed} deep", found="more")


def _check_characters(text: str) -> None:
    found = _SURROGATE.search(text)
    if found:
        raise SyntaxProblem.at(
            text, found.start(), wanted="Unicode text", found=f"the lone surrogate {ord(found[0]):X}"
        )
