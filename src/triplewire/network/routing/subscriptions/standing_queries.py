"""Standing queries: subscriptions as they are sent, and what is known of one without an event."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

from msgspec import Struct

import triplewire.languages  # noqa: F401  makes the languages known
from triplewire.algebra.queries import Core, Query, cores_of
from triplewire.algebra.reasoning.covering import properties_of
from triplewire.algebra.subscriptions import Subscription
from triplewire.errors import InputError
from triplewire.network.messages import StandingQuery
from triplewire.rdf.terms import NamedNode

# A parsed query takes some kilobytes, its required properties some hundred bytes.
_MAX_CACHED_QUERIES = 32_768
_MAX_CACHED = 131_072


def standing_query(language: str, text: str) -> StandingQuery:
    """The standing query of a text. Text that does not parse is refused with the parser's error."""
    query = StandingQuery(_key(language, text), language, text)
    parsed(query)
    return query


def validated(query: StandingQuery) -> StandingQuery:
    """A query from outside, or InputError: the key must be its own, and the text must parse."""
    key = _key(query.language, query.text)
    if key != query.key:
        raise InputError(subject="a standing query", wanted=f"its own key {key!r}", found=repr(query.key))
    parsed(query)
    return query


@lru_cache(maxsize=_MAX_CACHED_QUERIES)
def parsed(query: StandingQuery) -> Query:
    """The query, parsed once."""
    return Subscription.parse(query.text, query.language).query


class RequiredProperties(Struct, frozen=True):
    """One alternative of a query. `names` are the properties that an advertiser must name, without rdf: and rdfs:.

    Of `any_of`, which has those too, an advertiser of values alone must have one; with `is_open`, not even that.
    """

    names: frozenset[NamedNode]
    any_of: frozenset[NamedNode]
    is_open: bool


@lru_cache(maxsize=_MAX_CACHED)
def required_properties(query: StandingQuery) -> tuple[RequiredProperties, ...]:
    """The properties that a query requires, for each alternative."""
    return tuple(_required(core) for core in cores_of(parsed(query)))


def _required(core: Core) -> RequiredProperties:
    predicates = {pattern.predicate for pattern in core.patterns}
    any_of = frozenset(name for name in predicates if isinstance(name, NamedNode))
    return RequiredProperties(frozenset(properties_of(core)), any_of, len(any_of) < len(predicates))


def _key(language: str, text: str) -> str:
    return blake2b(f"{language}\n{text}".encode(), digest_size=16).hexdigest()
