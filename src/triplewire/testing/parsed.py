"""A SPARQL text as rdflib's algebra: for its evaluator, and to see which constructs a query uses."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import rdflib
from rdflib.paths import AlternativePath, InvPath, MulPath, NegatedPath, Path, SequencePath
from rdflib.plugins.sparql.algebra import translateQuery, traverse
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Query

from triplewire.testing.rdflib_terms import plain_strings

_complaints = logging.getLogger("rdflib.term")
# A path's `*` or `?` stands right behind an IRI, a name or a parenthesis. Cheap to look for before parsing.
_MAYBE_REPEATED = re.compile(r"[>\w)]\s*[*?](?!\w)")
_MAYBE_CHOSEN = re.compile(r"(?<!\|)\|(?!\|)")


@lru_cache(maxsize=1024)
def parse(text: str) -> Query:
    """Read a query with every literal as it is written. Kept, because rdflib's parser is slow."""
    with literals_as_written():
        query = translateQuery(parseQuery(text))
    query.algebra = traverse(query.algebra, visitPost=plain_strings)
    return query


@contextmanager
def literals_as_written() -> Iterator[None]:
    """No lexical form is normalised inside, and none that its datatype forbids is complained about."""
    before, disabled = rdflib.NORMALIZE_LITERALS, _complaints.disabled
    rdflib.NORMALIZE_LITERALS, _complaints.disabled = False, True
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    finally:
        rdflib.NORMALIZE_LITERALS, _complaints.disabled = before, disabled


def nodes_of(tree: Any) -> Iterator[CompValue]:
    """Every operator and expression of an algebra tree."""
    if isinstance(tree, CompValue):
        yield tree
        for child in dict.values(tree):
            yield from nodes_of(child)
    elif isinstance(tree, list | tuple):
        for child in tree:
            yield from nodes_of(child)


@lru_cache(maxsize=4096)
def has_zero_length_path(text: str) -> bool:
    """Does the query use `*` or `?` on a path?

    >>> has_zero_length_path("ASK { ?x <urn:p>* ?y }"), has_zero_length_path("SELECT * { ?x <urn:p>+ ?y }")
    (True, False)
    """
    return bool(_MAYBE_REPEATED.search(text)) and any(map(_may_be_empty, paths_of(parse(text).algebra)))


@lru_cache(maxsize=4096)
def has_alternative_path(text: str) -> bool:
    """Does the query use `|` on a path?

    >>> has_alternative_path("ASK { ?x <urn:p>|<urn:q> ?y }"), has_alternative_path("ASK { FILTER(true || false) }")
    (True, False)
    """
    return bool(_MAYBE_CHOSEN.search(text)) and any(map(_may_choose, paths_of(parse(text).algebra)))


def paths_of(tree: Any) -> Iterator[Path]:
    """Every property path of an algebra tree, inner ones too; graph patterns of EXISTS are not translated yet."""
    if isinstance(tree, Path):
        yield tree
        for part in _parts(tree):
            yield from paths_of(part)
    elif isinstance(tree, CompValue):
        for child in dict.values(tree):
            yield from paths_of(child)
    elif isinstance(tree, list | tuple):
        for child in tree:
            yield from paths_of(child)


def _parts(path: Path) -> list[Any]:
    if isinstance(path, SequencePath | AlternativePath | NegatedPath):
        return list(path.args)
    return [path.arg] if isinstance(path, InvPath) else [path.path] if isinstance(path, MulPath) else []


def _may_be_empty(path: Path) -> bool:
    return isinstance(path, MulPath) and bool(path.zero)


def _may_choose(path: Path) -> bool:
    return isinstance(path, AlternativePath) or (isinstance(path, NegatedPath) and len(path.args) > 1)
