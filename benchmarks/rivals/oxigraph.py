"""Oxigraph, asked once a subscription: the shortest program that a user of SPARQL would write.

Each event is loaded into a store, and each subscription is evaluated on it as an ASK, so that one solution is enough.
Oxigraph has no prepared queries in Python: every evaluation parses its text. The taxonomy is a custom function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pyoxigraph import Literal, NamedNode, RdfFormat, Store

from benchmarks.rivals.ancestry import Lineage, Parents, parents_in
from benchmarks.rivals.publications import PerEvent, Triple
from benchmarks.rivals.reading import NotUnderstood
from triplewire import Subscription, Taxonomy
from triplewire.algebra.queries import Ask, FastQuery
from triplewire.algebra.subscriptions import language_named
from triplewire.rdf.terms import TW

Functions = dict[NamedNode, Callable[..., Literal]]


class OxigraphAsk(PerEvent):
    """A list of query texts."""

    name = "Oxigraph ASK"

    def __init__(self) -> None:
        self._queries: list[tuple[str, str]] = []
        self._parents: Parents = {}

    def build(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy | None = None) -> None:
        self._queries = [(subscription.id, _asked(subscription)) for subscription in subscriptions]
        self._parents = parents_in(taxonomy)

    def match_event(self, triples: list[Triple]) -> set[str]:
        store = Store()
        text = "".join(f"{subject} {predicate} {thing} .\n" for subject, predicate, thing in triples)
        store.load(text.encode(), format=RdfFormat.N_TRIPLES)
        functions = _functions(Lineage(self._parents, triples))
        return {name for name, ask in self._queries if store.query(ask, custom_functions=functions)}


def _asked(subscription: Subscription) -> str:
    if not isinstance(subscription.query, FastQuery):
        raise NotUnderstood(f"wanted patterns and conditions, found {subscription.text!r}")
    return language_named("sparql").print(FastQuery(Ask(), subscription.query.core))


def _functions(lineage: Lineage) -> Functions:
    return {TW["isA"]: lambda node, cls: Literal(lineage.descends(str(node), str(cls)))}
