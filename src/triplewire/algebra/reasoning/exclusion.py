"""What a supply rules out: the opposite of `covering`, for those who route.

`covers` says yes only with a witness. A subscription may be held back only where it is certain that nothing advertised
can match it, so `excludes` says yes only with a proof, and says no where none was found within the effort.

The rule (Chirita et al., definitions 5, 6 and 8, and algorithm 1 for one target):

- The properties of the subscription that have values here must be able to have them, all at once.
- Every other property must be advertised, or its namespace be; rdf: and rdfs: always are.
- Who advertises values only says nothing about other properties: then one property in common is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from triplewire.algebra.advertisements.supply import Supply
from triplewire.algebra.advertisements.value_sets import Value
from triplewire.algebra.patterns import Variable
from triplewire.algebra.queries import Core, Query, cores_of
from triplewire.algebra.reasoning.covering import demands_of, holds_value, properties_of
from triplewire.algebra.reasoning.demands import Demand, Identity
from triplewire.algebra.reasoning.effort import Effort
from triplewire.algebra.reasoning.refutation import Problem, refuted
from triplewire.algebra.reasoning.satisfiability import EFFORT
from triplewire.algebra.reasoning.situations import Situation, situations
from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import EMPTY, Taxonomy
from triplewire.rdf.terms import NamedNode, Term

# The ways in which a variable can have an advertised value, each a conjunction of demands.
Ways = tuple[tuple[Demand, ...], ...]
_MOST_WAYS = 10_000


def excludes(supply: Supply, subscription: Subscription | Query, taxonomy: Taxonomy | None = None) -> bool:
    """Whether nothing that is advertised can match the subscription. Yes only with a proof."""
    query = subscription.query if isinstance(subscription, Subscription) else subscription
    effort = Effort(EFFORT)
    return all(_core_excluded(supply, core, taxonomy or EMPTY, effort) for core in cores_of(query))


def _core_excluded(supply: Supply, core: Core, taxonomy: Taxonomy, effort: Effort) -> bool:
    if not _named(supply, core):
        return True
    return all(_situation_excluded(supply, situation, taxonomy, effort) for situation in situations(core, taxonomy))


def _named(supply: Supply, core: Core) -> bool:
    """Whether the core's properties are advertised, as far as the supply limits properties at all."""
    wanted = properties_of(core)
    if not supply.has_only_values:
        return all(supply.names(name) for name in wanted)
    predicates = {pattern.predicate for pattern in core.patterns}
    return not wanted or any(isinstance(name, Variable) or name in supply.values for name in predicates)


def _situation_excluded(supply: Supply, situation: Situation, taxonomy: Taxonomy, effort: Effort) -> bool:
    problem = Problem(situation.roles, situation.fixed, taxonomy, effort)
    if refuted(problem, situation.demands, ()):
        return True
    narrowed: dict[Variable, Ways] = {}
    for pattern in situation.patterns:
        values = supply.values.get(pattern.predicate) if isinstance(pattern.predicate, NamedNode) else None
        if values is None:
            continue
        term = pattern.object
        if not isinstance(term, Variable):
            if not any(holds_value(member, term) for member in values):
                return True
            continue
        ways = tuple(_possible(problem, situation, narrowed.get(term, ((),)), term, values))
        if not ways:
            return True
        if len(ways) <= _MOST_WAYS:
            narrowed[term] = ways
    return _jointly_excluded(problem, situation, narrowed)


def _possible(
    problem: Problem, situation: Situation, known: Ways, variable: Variable, values: Iterable[Value]
) -> Iterator[tuple[Demand, ...]]:
    """What was possible for the variable so far, joined with each value that goes with it."""
    for way in known:
        for member in values:
            joined = (*way, *demands_of(variable, member))
            if not refuted(problem, (*situation.demands, *joined), ()):
                yield joined


def _jointly_excluded(problem: Problem, situation: Situation, narrowed: Mapping[Variable, Ways]) -> bool:
    """Whether variables that are compared with each other cannot have their values together."""
    pairs = [demand for demand in situation.demands if len(set(demand.variables)) > 1]
    compared = {variable for demand in pairs for variable in demand.variables}
    choices = [(variable, ways) for variable, ways in narrowed.items() if variable in compared]
    waiting: list[dict[Variable, Term]] = [{}]
    for variable, ways in choices:
        terms = [_named_by(way) for way in ways]
        if None in terms:
            continue
        if not problem.effort.spend(len(waiting) * len(terms)):
            return False
        options = ({**binding, variable: term} for binding in waiting for term in terms if term is not None)
        waiting = [binding for binding in options if all(_agrees(demand, binding) for demand in pairs)]
    return not waiting


def _named_by(way: tuple[Demand, ...]) -> Term | None:
    """The one term that a way leaves; none where it is an interval."""
    return next((demand.test.term for demand in way if isinstance(demand.test, Identity)), None)


def _agrees(demand: Demand, binding: Mapping[Variable, Term]) -> bool:
    return not all(variable in binding for variable in demand.variables) or demand.allows(binding)
