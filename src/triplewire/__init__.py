"""Triplewire sets tripwires on RDF: publish/subscribe, rules and replay for knowledge graphs.

    system     files that survive a crash, and the like
    rdf        terms, events, parsing, limits
    algebra    patterns, constraints, subscriptions, advertisements, and what can be concluded about them
    languages  text <-> algebra: SPARQL, formula, graph
    matching   which subscriptions does this event satisfy?
    store      what must survive: log, registry, outbox, identities
    node       the durable broker: HTTP, delivery, identity; `client` and `wire` are its other end
    pipeline   the same matcher inside Spark tasks
    testing    public doubles: the oracle, strategies, workload generators
    cli        arguments in, words out

Each package imports only from those above it in this list.
"""

from triplewire import languages as _languages  # noqa: F401  makes them known to Subscription.parse
from triplewire.algebra import (
    Advertisement,
    Subscription,
    Taxonomy,
    covers,
    implies,
    satisfiable,
    subsumes,
)
from triplewire.errors import TriplewireError
from triplewire.matching import Match, Matcher
from triplewire.rdf.events import Event
from triplewire.rdf.solutions import Solutions

__version__ = "0.1.0"

__all__ = [
    "Advertisement",
    "Event",
    "Match",
    "Matcher",
    "Solutions",
    "Subscription",
    "Taxonomy",
    "TriplewireError",
    "__version__",
    "covers",
    "implies",
    "satisfiable",
    "subsumes",
]
