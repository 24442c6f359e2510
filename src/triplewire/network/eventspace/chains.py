"""The chains of a subscription, the zones that their steps touch, and rewritings as they are sent."""

from __future__ import annotations

from functools import lru_cache

from triplewire.algebra.patterns import Variable
from triplewire.algebra.queries import Query, cores_of
from triplewire.algebra.subscriptions import Subscription
from triplewire.matching.chains.rewriting import Chain, Rewriting, chain_of
from triplewire.matching.evaluation.event_view import Key
from triplewire.matching.evaluation.join import key_under
from triplewire.matching.scanning.strict_parser import spelling
from triplewire.matching.scanning.term_decoding import term_of
from triplewire.network.can.geometry.coordinates import coordinate
from triplewire.network.can.geometry.space import Bounds, exactly
from triplewire.network.eventspace.filter_bounds import VariableBounds, general_bounds, variable_bounds
from triplewire.network.eventspace.messages import SentRewriting, SpaceSubscription
from triplewire.network.queries.bounds.filters import both
from triplewire.network.queries.bounds.intervals import EVERYTHING, Intervals
from triplewire.network.queries.bounds.regions import boxes_of, simplified
from triplewire.rdf.terms import NamedNode, Term

# Into how many boxes the bounds of one pattern may fall apart.
_MOST_BOXES = 16

SpelledKey = tuple[bytes | None, bytes | None, bytes | None]
"""Subject, predicate and object in coordinates, with None where anything may stand."""
Constants = tuple[frozenset[bytes], frozenset[bytes], frozenset[bytes]]
"""Subjects, predicates and objects."""


def chains_of(subscription: SpaceSubscription) -> tuple[Chain, ...]:
    """One chain a core, in the order of the text."""
    return _chains_of_text(subscription.language, subscription.text)


def constants_of(subscription: SpaceSubscription) -> tuple[Constants, ...]:
    """For each chain, what its patterns fix: subjects, predicates and objects that an event must have."""
    return _constants_of_text(subscription.language, subscription.text)


def spelled(key: Key) -> SpelledKey:
    """A key in coordinates."""
    subject, predicate, obj = (None if term is None else coordinate(term) for term in key)
    return subject, predicate, obj


def index_bounds(subscription: SpaceSubscription) -> tuple[Bounds, ...]:
    """Where a subscription is indexed: the bounds of the first pattern of each of its chains.

    One that can never match has none.
    """
    return _bounds_of_text(subscription.language, subscription.text)


def chain_bounds(subscription: SpaceSubscription, number: int, event: str) -> tuple[Bounds, ...]:
    """The bounds of the first pattern of a chain in an event."""
    chain = chains_of(subscription)[number]
    return _bounds(chain, chain.first_key, 0, NamedNode(event), _variable_bounds(subscription, number))


def next_bounds(
    subscription: SpaceSubscription, number: int, rewriting: Rewriting, graph: NamedNode
) -> tuple[Bounds, ...]:
    """The bounds of a chain's next pattern in an event, with what is bound, and what filters say of the rest."""
    chain = chains_of(subscription)[number]
    filters = _variable_bounds(subscription, number, rewriting.open)
    return _bounds(chain, chain.key(rewriting), rewriting.depth, graph, filters)


def sent(number: int, rewriting: Rewriting) -> SentRewriting:
    """A rewriting of the chain of that number, to be sent."""
    binding = tuple((variable.name, spelling(term)) for variable, term in rewriting.binding)
    return SentRewriting(number, rewriting.depth, binding, rewriting.open)


def received(rewriting: SentRewriting) -> Rewriting:
    """A rewriting that was sent."""
    binding = tuple((Variable(name), term_of(text.encode())) for name, text in rewriting.binding)
    return Rewriting(rewriting.depth, binding, rewriting.open)


@lru_cache(maxsize=10_000)
def _chains_of_text(language: str, text: str) -> tuple[Chain, ...]:
    return tuple(map(chain_of, cores_of(_query_of_text(language, text))))


@lru_cache(maxsize=100)
def _query_of_text(language: str, text: str) -> Query:
    return Subscription.parse(text, language).query


@lru_cache(maxsize=10_000)
def _constants_of_text(language: str, text: str) -> tuple[Constants, ...]:
    return tuple(_constants(chain) for chain in _chains_of_text(language, text))


def _constants(chain: Chain) -> Constants:
    fixed = dict(chain.fixed)
    keys = [spelled(key_under(step.pattern, fixed)) for step in chain.steps]
    subjects, predicates, objects = (frozenset(filter(None, terms)) for terms in zip(*keys, strict=True))
    return subjects, predicates, objects


@lru_cache(maxsize=10_000)
def _bounds_of_text(language: str, text: str) -> tuple[Bounds, ...]:
    found: list[Bounds] = []
    for number, chain in enumerate(_chains_of_text(language, text)):
        if chain.decidable[0]:
            filters = _filters_of_text(language, text, number, None)
            found.extend(_bounds(chain, chain.first_key, 0, chain.graph, filters))
    return tuple(dict.fromkeys(found))


def _variable_bounds(
    subscription: SpaceSubscription, number: int, alternatives: tuple[int, ...] | None = None
) -> VariableBounds:
    return _filters_of_text(subscription.language, subscription.text, number, alternatives)


@lru_cache(maxsize=10_000)
def _filters_of_text(language: str, text: str, number: int, alternatives: tuple[int, ...] | None) -> VariableBounds:
    """What some alternatives of a chain's constraint, or all of them, and the rest of the query say of variables."""
    decidable = _chains_of_text(language, text)[number].decidable
    wanted = range(len(decidable[0])) if alternatives is None else alternatives
    by_constraint = variable_bounds([c for conditions in decidable for c in conditions[n]] for n in wanted)
    return both((by_constraint, _general_filters_of_text(language, text)))


@lru_cache(maxsize=10_000)
def _general_filters_of_text(language: str, text: str) -> VariableBounds:
    return general_bounds(_query_of_text(language, text))


def _bounds(chain: Chain, key: Key, depth: int, graph: Term | None, filters: VariableBounds) -> tuple[Bounds, ...]:
    """The boxes of a step: constants as they are, and for variables what filters say."""
    pattern = chain.steps[depth].pattern
    named = next((name for name in chain.graphs if isinstance(name, Variable)), None)
    wanted = ((graph, named), (key[0], pattern.subject), (key[1], pattern.predicate), (key[2], pattern.object))
    region = tuple(_side(term, name, filters) for term, name in wanted)
    return tuple(boxes_of(simplified(region, _MOST_BOXES)))


def _side(term: Term | None, name: object, filters: VariableBounds) -> Intervals:
    if term is not None:
        return Intervals((exactly(coordinate(term)),))
    return filters.get(name, EVERYTHING) if isinstance(name, Variable) else EVERYTHING
