"""The oracle: what a subscription answers on an event, evaluated from its text, with no index and no cleverness.

Oxigraph answers wherever it can judge; rdflib where a literal is not in the form that Oxigraph keeps. Where neither can
be trusted, the oracle says so, with both reasons, and nobody may count that case as agreement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from triplewire.algebra.constraints import TaxonomyRelation
from triplewire.algebra.subscriptions import Subscription, language_named
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import TriplewireError
from triplewire.rdf.events import Event
from triplewire.rdf.terms import TW, Literal, NamedNode, Term, Triple
from triplewire.testing import by_oxigraph, by_rdflib
from triplewire.testing.answers import Answers
from triplewire.testing.case import Case, Function
from triplewire.testing.entailment import Entailment

_ENGINES = (
    ("Oxigraph", by_oxigraph.unable, by_oxigraph.answer),
    ("rdflib", by_rdflib.unable, by_rdflib.answer),
)


class OracleUndecided(TriplewireError):  # noqa: N818  an outcome more than a fault
    """Neither engine can judge. `reasons` gives one sentence for each."""

    def __init__(self, case: Case, reasons: dict[str, str]) -> None:
        why = "; ".join(f"{engine}: {reason}" for engine, reason in reasons.items())
        super().__init__(f"no oracle for {case.text!r} on {case.graph}: {why}")
        self.case = case
        self.reasons = reasons


class Oracle:
    """Evaluates one subscription at a time.

    >>> from triplewire.rdf.events import Event
    >>> event = Event.parse('<urn:a> <urn:p> "01"^^<http://www.w3.org/2001/XMLSchema#integer> <urn:e> .')[0]
    >>> subscription = Subscription.parse("SELECT ?x { ?x <urn:p> ?y FILTER(?y < 2) }")
    >>> Oracle().match(subscription, event)
    [{'x': <NamedNode value=urn:a>}]
    """

    def __init__(self, taxonomy: Taxonomy | Iterable[Triple] | None = None) -> None:
        self._taxonomy = _triples_of(taxonomy)

    def match(self, subscription: Subscription, event: Event) -> Answers | None:
        """Solutions or (CONSTRUCT) triples; None where nothing matches. Raises OracleUndecided."""
        return judge(self.case(subscription, event))

    def case(self, subscription: Subscription, event: Event) -> Case:
        """The question as both engines get it."""
        triples = tuple(event.triples)
        return Case(text_of(subscription), event.graph, triples, functions(Entailment(self._taxonomy, triples)))


def judge(case: Case) -> Answers | None:
    """Ask the first engine that can judge the case."""
    reasons: dict[str, str] = {}
    for name, unable, answer in _ENGINES:
        reason = unable(case)
        if reason is None:
            return answer(case)
        reasons[name] = reason
    raise OracleUndecided(case, reasons)


def text_of(subscription: Subscription) -> str:
    """The SPARQL that both engines are given: the original where there is one, else the printed query."""
    if subscription.language == "sparql":
        return subscription.text
    return language_named("sparql").print(subscription.query)


def functions(known: Entailment) -> dict[NamedNode, Function]:
    """The functions in `urn:triplewire:`, answered by `known`."""
    relations = {
        TaxonomyRelation.IS_A: known.is_a,
        TaxonomyRelation.ANCESTOR_OF: known.ancestor_of,
        TaxonomyRelation.DIRECT: known.direct,
        TaxonomyRelation.DIRECT_OR_SAME: known.direct_or_same,
    }
    return {TW[relation.value]: _as_literal(holds) for relation, holds in relations.items()}


def _as_literal(holds: Callable[[Term, Term], bool]) -> Function:
    def call(x: Term, cls: Term) -> Literal:
        return Literal(holds(x, cls))

    return call


def _triples_of(taxonomy: Taxonomy | Iterable[Triple] | None) -> tuple[Triple, ...]:
    if taxonomy is None:
        return ()
    return tuple(taxonomy.triples if isinstance(taxonomy, Taxonomy) else taxonomy)
