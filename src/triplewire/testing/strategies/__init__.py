"""Hypothesis strategies for everything that Triplewire takes in. Needs hypothesis (`triplewire[testing]`).

    advertisements  strategies for the three kinds of advertisement
    filters         strategies for SPARQL expressions that are true or false, as text
    formula         strategies for subscriptions in the formula language, as text
    graph           strategies for subscriptions in the graph language, as text
    rdftl           paths, conditions, rules and updates, as values; `format_rule` makes text of them
    sparql          strategies for SPARQL subscriptions, as text, through a small grammar: the parser is part of what
                    is tested
    taxonomies      acyclic, several parents, listed instances
    terms           strategies for terms, triples and events
    vocabulary      the small world that generated cases live in: few names, so that things meet

Subscriptions are drawn as text, so that the parsers take part. Given triples to imitate, most subscriptions match them:
a test whose cases never match shows little.

>>> from hypothesis import given, settings
>>> @settings(max_examples=5, database=None)
... @given(events())
... def no_event_is_empty(event):
...     assert event.triples
>>> no_event_is_empty()
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from triplewire.algebra.subscriptions import Subscription
from triplewire.rdf.terms import Triple
from triplewire.testing.strategies.advertisements import (
    advertisements,
    property_advertisements,
    schema_advertisements,
    value_advertisements,
)
from triplewire.testing.strategies.formula import formulas
from triplewire.testing.strategies.graph import graphs
from triplewire.testing.strategies.sparql import fast_sparql, general_sparql
from triplewire.testing.strategies.taxonomies import taxonomies
from triplewire.testing.strategies.terms import (
    canonical_events,
    canonical_literals,
    events,
    iris,
    literals,
    predicates,
    terms,
    triples,
)

__all__ = [
    "advertisements",
    "canonical_events",
    "canonical_literals",
    "events",
    "fast_sparql",
    "fast_subscriptions",
    "formulas",
    "general_sparql",
    "general_subscriptions",
    "graphs",
    "iris",
    "literals",
    "predicates",
    "property_advertisements",
    "schema_advertisements",
    "subscriptions",
    "taxonomies",
    "terms",
    "triples",
    "value_advertisements",
]


def fast_subscriptions(like: Sequence[Triple] = ()) -> st.SearchStrategy[Subscription]:
    """Subscriptions of the fast lane, in each of the three languages."""
    return st.one_of(
        fast_sparql(like).map(Subscription.parse),
        formulas(like).map(lambda text: Subscription.parse(text, "formula")),
        graphs(like).map(lambda text: Subscription.parse(text, "graph")),
    )


def general_subscriptions(like: Sequence[Triple] = ()) -> st.SearchStrategy[Subscription]:
    """SPARQL subscriptions that need the general lane (a few turn out simple enough for the fast one)."""
    return general_sparql(like).map(Subscription.parse)


def subscriptions(like: Sequence[Triple] = ()) -> st.SearchStrategy[Subscription]:
    """Subscriptions of both lanes, in all languages."""
    return st.one_of(fast_subscriptions(like), fast_subscriptions(like), general_subscriptions(like))
