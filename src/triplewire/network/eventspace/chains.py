"""The chains of a subscription, the zones that their steps touch, and rewritings as they are sent."""

from __future__ import annotations

from functools import lru_cache

from triplewire.algebra.patterns import Variable
from triplewire.algebra.queries import cores_of
from triplewire.algebra.subscriptions import Subscription
from triplewire.matching.chains.rewriting import Chain, Rewriting, chain_of
from triplewire.matching.evaluation.event_view import Key
from triplewire.matching.scanning.strict_parser import spelling
from triplewire.matching.scanning.term_decoding import term_of
from triplewire.network.can.coordinates import coordinate
from triplewire.network.can.space import ANY, Bounds, Interval, bounds_of, exactly
from triplewire.network.eventspace.messages import SentRewriting, SpaceSubscription
from triplewire.rdf.terms import NamedNode, Term


def chains_of(subscription: SpaceSubscription) -> tuple[Chain, ...]:
    """One chain a core, in the order of the text."""
    return _chains_of_text(subscription.language, subscription.text)


def index_bounds(subscription: SpaceSubscription) -> tuple[Bounds, ...]:
    """Where a subscription is indexed: the bounds of the first pattern of each of its chains.

    One that can never match has none.
    """
    possible = (chain for chain in chains_of(subscription) if chain.decidable[0])
    return tuple(dict.fromkeys(_bounds(chain.graph, chain.first_key) for chain in possible))


def next_bounds(chain: Chain, rewriting: Rewriting, graph: NamedNode) -> Bounds:
    """The bounds of a chain's next pattern in an event, with what is bound."""
    return _bounds(graph, chain.key(rewriting))


def event_bounds(graph: NamedNode) -> Bounds:
    """The bounds of `(g, ?s, ?p, ?o)`."""
    return _bounds(graph, (None, None, None))


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
    return tuple(map(chain_of, cores_of(Subscription.parse(text, language).query)))


def _bounds(graph: Term | None, key: Key) -> Bounds:
    return bounds_of(*(_side(term) for term in (graph, *key)))


def _side(term: Term | None) -> Interval:
    return ANY if term is None else exactly(coordinate(term))
