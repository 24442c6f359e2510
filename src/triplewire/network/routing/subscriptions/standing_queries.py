"""Standing queries: subscriptions as they travel, and what can be told of one without an event."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

from msgspec import Struct

import triplewire.languages  # noqa: F401  makes the languages known
from triplewire.algebra.queries import Core, Query, cores_of
from triplewire.algebra.reasoning.covering import properties_of
from triplewire.algebra.subscriptions import Subscription
from triplewire.errors import InputError
from triplewire.network.messages import Standing
from triplewire.rdf.terms import NamedNode

# A parsed query takes some kilobytes, what is wanted of advertisers some hundred bytes.
_QUERIES_KEPT = 32_768
_KEPT = 131_072


def standing_of(language: str, text: str) -> Standing:
    """A subscription ready to travel. Text that does not parse is refused with the parser's error."""
    standing = Standing(_key(language, text), language, text)
    query_of(standing)
    return standing


def checked(standing: Standing) -> Standing:
    """What came from outside, or InputError: the key must be its own, and the text must parse."""
    key = _key(standing.language, standing.text)
    if key != standing.key:
        raise InputError(f"a standing query wants its own key {key!r}, found {standing.key!r}")
    query_of(standing)
    return standing


@lru_cache(maxsize=_QUERIES_KEPT)
def query_of(standing: Standing) -> Query:
    """The query, parsed once."""
    return Subscription.parse(standing.text, standing.language).query


class Wanted(Struct, frozen=True):
    """One way to match. `names` are the properties that an advertiser must name, rdf: and rdfs: left out.

    Of `any_of`, which has those too, an advertiser of values alone must have one; with `is_open`, not even that.
    """

    names: frozenset[NamedNode]
    any_of: frozenset[NamedNode]
    is_open: bool


@lru_cache(maxsize=_KEPT)
def properties_wanted(standing: Standing) -> tuple[Wanted, ...]:
    """What the query wants, for each way to match it."""
    return tuple(_wanted(core) for core in cores_of(query_of(standing)))


def _wanted(core: Core) -> Wanted:
    predicates = {pattern.predicate for pattern in core.patterns}
    any_of = frozenset(name for name in predicates if isinstance(name, NamedNode))
    return Wanted(frozenset(properties_of(core)), any_of, len(any_of) < len(predicates))


def _key(language: str, text: str) -> str:
    return blake2b(f"{language}\n{text}".encode(), digest_size=16).hexdigest()
