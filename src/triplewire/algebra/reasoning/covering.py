"""Whether an advertisement covers a subscription (Chirita et al., definitions 5, 6 and 8).

How the definitions are read here:

- rdf: and rdfs: are ambient, every peer supports them: their properties never block an advertisement, of any kind.
- A variable predicate can be any property, so it asks nothing of schemas and properties.
- Definition 8 substitutes the objects of properties that both sides have, of which there must be one at least (its k is
  not less than 1), unless the subscription only has ambient or variable predicates. Other properties stay free.
- A constant object stands for a variable and an equality (footnote 1), so it is compared with the values by value.
- An event may give any node any type, so a taxonomy test is satisfiable unless the taxonomy itself refutes it.
- A query of the general lane is covered if one of the cores that it requires is.
- Of several advertisements of one client, one alone may cover, or all of them joined: each property of the subscription
  is then named by one of them, and has the values of all that name it, or any value where one leaves it free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product

from triplewire.algebra.advertisements.advertisement import (
    Advertisement,
    PropertyAdvertisement,
    SchemaAdvertisement,
    ValueAdvertisement,
)
from triplewire.algebra.advertisements.supply import Supply, joined, supply_of
from triplewire.algebra.advertisements.value_sets import Interval, Offer, Value
from triplewire.algebra.constraints import Comparator, ComparisonTest
from triplewire.algebra.namespaces import is_ambient, namespace_of
from triplewire.algebra.patterns import Pattern, PatternTerm, Variable
from triplewire.algebra.queries import Core, Query, cores_of
from triplewire.algebra.reasoning.demands import TRUE, Demand, Identity
from triplewire.algebra.reasoning.effort import Effort
from triplewire.algebra.reasoning.satisfiability import EFFORT, Choices, Witness, witness_of
from triplewire.algebra.reasoning.situations import Situation, situations
from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import EMPTY, Taxonomy
from triplewire.algebra.verdicts import Verdict
from triplewire.rdf.literals import values
from triplewire.rdf.terms import NamedNode

_MOST_CHOICES = 10_000


Offered = Advertisement | Iterable[Advertisement]


def covers(advertised: Offered, subscription: Subscription | Query, taxonomy: Taxonomy | None = None) -> bool:
    """Whether what a client advertises can satisfy the subscription. Yes only with a witness."""
    return explain_covers(advertised, subscription, taxonomy).holds


def explain_covers(
    advertised: Offered, subscription: Subscription | Query, taxonomy: Taxonomy | None = None
) -> Verdict:
    """The same as `covers`, with one sentence why."""
    if isinstance(advertised, Advertisement):
        return _explained(partial(_core_covered, advertised), subscription, taxonomy)
    return explain_supplied([supply_of([one]) for one in advertised], subscription, taxonomy)


def explain_supplied(
    supplies: Sequence[Supply], subscription: Subscription | Query, taxonomy: Taxonomy | None = None
) -> Verdict:
    """The same for what a client registered at several times."""
    verdict = Verdict(False, "nothing is advertised")
    for supply in [*supplies, joined(supplies)] if len(supplies) > 1 else supplies:
        verdict = _explained(partial(_supplied, supply), subscription, taxonomy)
        if verdict:
            return verdict
    return verdict


def _explained(
    decide: Callable[[Core, Taxonomy], Verdict], subscription: Subscription | Query, taxonomy: Taxonomy | None
) -> Verdict:
    query = subscription.query if isinstance(subscription, Subscription) else subscription
    verdict = Verdict(False, "the subscription can never match")
    for core in cores_of(query):
        verdict = decide(core, taxonomy or EMPTY)
        if verdict:
            return verdict
    return verdict


def _supplied(supply: Supply, core: Core, taxonomy: Taxonomy) -> Verdict:
    wanted = properties_of(core)
    if not supply.has_only_values:
        verdict = _included("property", wanted, frozenset(filter(supply.names, wanted)))
        if not verdict or wanted.isdisjoint(supply.values):
            return verdict
    return _values_covered(supply.offers, core, taxonomy)


def _core_covered(advertisement: Advertisement, core: Core, taxonomy: Taxonomy) -> Verdict:
    if isinstance(advertisement, SchemaAdvertisement):
        wanted = {NamedNode(namespace_of(name)) for name in properties_of(core)}
        return _included("schema", wanted, advertisement.namespaces)
    if isinstance(advertisement, PropertyAdvertisement):
        return _included("property", properties_of(core), advertisement.offered)
    if isinstance(advertisement, ValueAdvertisement):
        return _values_covered(advertisement.offers, core, taxonomy)
    raise TypeError(f"wanted one of the three kinds of advertisement, found {type(advertisement).__name__}")


def properties_of(core: Core) -> set[NamedNode]:
    """The core's properties, save the ambient ones."""
    names = {pattern.predicate for pattern in core.patterns if isinstance(pattern.predicate, NamedNode)}
    return {name for name in names if not is_ambient(name)}


def _included(what: str, wanted: set[NamedNode], offered: frozenset[NamedNode]) -> Verdict:
    missing = sorted(str(iri) for iri in wanted - offered)
    if missing:
        return Verdict(False, f"the {what} {missing[0]} of the subscription is not advertised")
    return Verdict(True, f"every {what} of the subscription is advertised")


def _values_covered(offered: Iterable[Offer], core: Core, taxonomy: Taxonomy) -> Verdict:
    offers = {offer.property: offer for offer in offered}
    if not _related(offers, core):
        return Verdict(False, "no property of the subscription is advertised")
    effort = Effort(EFFORT)
    for situation in situations(core, taxonomy):
        choices = _choices(offers, situation)
        if choices is None:
            continue
        witness = witness_of(core, situation, choices, taxonomy, effort)
        if witness is not None:
            return Verdict(True, _reason(witness, offers, core))
    return Verdict(False, "no advertised values satisfy the subscription's constraint")


def _related(offers: Mapping[NamedNode, Offer], core: Core) -> bool:
    """Whether the two have a property in common, or the subscription names none that could be."""
    predicates = {pattern.predicate for pattern in core.patterns}
    return not properties_of(core) or any(isinstance(term, Variable) or term in offers for term in predicates)


def _choices(offers: Mapping[NamedNode, Offer], situation: Situation) -> Choices | None:
    """What the advertisement leaves to each object of its properties; None where a constant is not among its values."""
    narrowed: dict[Variable, list[tuple[Demand, ...]]] = {}
    for term, offer in _offered(offers, situation):
        if not isinstance(term, Variable):
            if not any(holds_value(member, term) for member in offer.values):
                return None
            continue
        ways = [demands_of(term, member) for member in offer.values]
        known = narrowed.get(term, [()])
        narrowed[term] = [a + b for (a, b), _ in zip(product(known, ways), range(_MOST_CHOICES), strict=False)]
    return narrowed


def _offered(offers: Mapping[NamedNode, Offer], situation: Situation) -> Iterator[tuple[PatternTerm, Offer]]:
    for pattern in situation.patterns:
        if isinstance(pattern.predicate, NamedNode) and pattern.predicate in offers:
            yield pattern.object, offers[pattern.predicate]


def holds_value(member: Value, constant: PatternTerm) -> bool:
    if isinstance(constant, Variable):
        return False
    if isinstance(member, Interval):
        return constant in member
    return member == constant or values.compare("=", member, constant) is True


def demands_of(variable: Variable, member: Value) -> tuple[Demand, ...]:
    """That the variable is this value, or within this interval."""
    if not isinstance(member, Interval):
        return (Demand(Identity(variable, member), TRUE),)
    found = []
    if member.low is not None:
        above = Comparator.GREATER if member.low_open else Comparator.AT_LEAST
        found.append(Demand(ComparisonTest(above, variable, member.low), TRUE))
    if member.high is not None:
        below = Comparator.LESS if member.high_open else Comparator.AT_MOST
        found.append(Demand(ComparisonTest(below, variable, member.high), TRUE))
    return tuple(found)


def _reason(witness: Witness, offers: Mapping[NamedNode, Offer], core: Core) -> str:
    shared = [pattern for pattern in core.patterns if pattern.predicate in offers]
    if not shared:
        return "the subscription asks for nothing that the advertisement limits, and its constraint is satisfiable"
    return f"with {' and '.join(_statement(pattern, witness) for pattern in shared)} the constraint is satisfiable"


def _statement(pattern: Pattern, witness: Witness) -> str:
    value = witness[pattern.object] if isinstance(pattern.object, Variable) else pattern.object
    return f"{pattern.predicate} {value}"
