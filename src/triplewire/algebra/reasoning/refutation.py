"""Refutation: showing that no event can do what is asked.

The problem is a conjunction of demands and of clauses, each a choice between demands. The search takes the clause with
the fewest choices left, tries each, and gives up a branch when the demands on one variable, or on one pair of
variables, cannot be met together. What `domains` cannot decide counts as possible, and so does everything once the
effort is spent: a refutation is a proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from triplewire.algebra.patterns import Variable
from triplewire.algebra.reasoning.demands import Demand, Ground
from triplewire.algebra.reasoning.domains import Domain
from triplewire.algebra.reasoning.effort import Effort
from triplewire.algebra.reasoning.pairs import possible_pair
from triplewire.algebra.reasoning.situations import Role
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.algebra.verdicts import Answer

Clause = tuple[Demand, ...]
# The demands on one variable, or on two that are compared.
Key = tuple[Variable, ...]
DemandsByVariables = Mapping[Key, frozenset[Demand]]


class Problem:
    """What the search knows of the variables, and what it has found out about them."""

    def __init__(
        self,
        roles: Mapping[Variable, Role],
        fixed: Mapping[Variable, Ground],
        taxonomy: Taxonomy,
        effort: Effort,
    ) -> None:
        self._roles = roles
        self._fixed = fixed
        self._taxonomy = taxonomy
        self.effort = effort
        self._known: dict[tuple[Key, frozenset[Demand]], bool] = {}

    def domain(self, variable: Variable) -> Domain:
        return Domain(self._roles.get(variable, Role.ANY), self._fixed.get(variable))

    def possible(self, key: Key, demands: frozenset[Demand]) -> bool:
        """Whether the demands on these variables may be met together, as far as can be told."""
        known = self._known.get((key, demands))
        if known is None:
            known = self._known[key, demands] = self._decided(key, demands)
        return known

    def _decided(self, key: Key, demands: frozenset[Demand]) -> bool:
        domains = [self.domain(variable) for variable in key]
        if len(domains) == 2:
            return possible_pair(key[0] == key[1], domains, demands)
        return _answered(domains[0], demands, self._taxonomy, self.effort) is not Answer.NO


# One query is compared with many others, and each time the same is asked about its variables.
_answers: dict[tuple[Domain, frozenset[Demand], Taxonomy], Answer] = {}
_MOST_ANSWERS = 8_192


def _answered(domain: Domain, demands: frozenset[Demand], taxonomy: Taxonomy, effort: Effort) -> Answer:
    known = _answers.get((domain, demands, taxonomy))
    if known is not None:
        return known
    answer = domain.answer(demands, taxonomy, effort)
    # What is not known may only mean that the effort was spent.
    if answer is not Answer.UNKNOWN:
        if len(_answers) >= _MOST_ANSWERS:
            _answers.clear()
        _answers[domain, demands, taxonomy] = answer
    return answer


def refuted(problem: Problem, demands: Iterable[Demand], clauses: Iterable[Clause]) -> bool:
    """Whether the demands, and one demand of each clause, provably cannot be met together."""
    state: DemandsByVariables = {}
    for demand in demands:
        state = _with(state, demand)
    if not all(problem.possible(key, together) for key, together in state.items()):
        return True
    return _all_closed(problem, state, tuple(dict.fromkeys(clauses)))


def _all_closed(problem: Problem, state: DemandsByVariables, clauses: tuple[Clause, ...]) -> bool:
    """Whether every way to choose from the clauses ends in a contradiction."""
    waiting = [(state, clauses)]
    while waiting:
        state, clauses = waiting.pop()
        if not problem.effort.spend(1 + len(clauses)):
            return False
        choices = list(_choices(problem, state, clauses))
        if not choices:
            return False
        narrowest = min(choices, key=len)
        rest = tuple(clause for clause in choices if clause is not narrowest)
        waiting.extend((_with(state, demand), rest) for demand in narrowest)
    return True


def _choices(problem: Problem, state: DemandsByVariables, clauses: Sequence[Clause]) -> Iterator[Clause]:
    """What is left to choose in each clause that is not met yet; nothing left at all is a contradiction."""
    for clause in clauses:
        if any(demand in state.get(demand.variables, ()) for demand in clause):
            continue
        left = tuple(demand for demand in clause if _addable(problem, state, demand))
        yield left
        if not left:
            return


def _with(state: DemandsByVariables, demand: Demand) -> DemandsByVariables:
    key = demand.variables
    return {**state, key: state.get(key, frozenset()) | {demand}}


def _addable(problem: Problem, state: DemandsByVariables, demand: Demand) -> bool:
    key = demand.variables
    return problem.possible(key, state.get(key, frozenset()) | {demand})
