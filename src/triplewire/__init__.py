"""Triplewire sets tripwires on RDF: publish/subscribe, rules and replay for knowledge graphs.

    errors      the tree of errors, and what each carries
    extras      which of the project's extras brings a package
    system      what several packages need of the operating system: durable files, locks, backoff
    rdf         terms, events, parsing, limits
    wire        what a node and its clients send each other
    web         the built files of the page in the browser
    algebra     patterns, constraints, subscriptions, advertisements, and what can be concluded about them
    languages   text <-> algebra: SPARQL, formula, graph, RDFTL
    evaluation  SPARQL's algebra, and its evaluation over any dataset
    matching    which subscriptions does this event satisfy?
    store       what must survive: log, registry, outbox, identities
    views       standing queries over the living graph, kept up to date from what changes
    rules       RDFTL rules: analysis, and execution as pure steps
    network     super-peers, routing and sessions as state machines without I/O
    federation  rules across super-peers, as state machines without I/O
    client      talks to a node over HTTP; a peer of the network
    node        the durable broker: HTTP, delivery, rules, and its part in a network
    pipeline    the same matcher inside Spark tasks
    testing     public doubles: the oracle, strategies, workload generators, simulated networks
    cli         arguments in, words out

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
