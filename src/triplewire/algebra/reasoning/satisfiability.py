"""Satisfiability: whether any event at all can meet a constraint, a core or a query.

Yes comes with a witness: terms for the variables that were put through the very evaluation that the matcher uses. No
comes with a refutation. Where neither is found the answer is that we do not know, which is not yes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from triplewire.algebra.constraints import Constraint, TaxonomyRelation, TaxonomyTest, variables_in
from triplewire.algebra.evaluation import satisfied
from triplewire.algebra.patterns import Pattern, PatternTerm, Variable
from triplewire.algebra.queries import Core, FastQuery, GeneralQuery, Query, cores_of
from triplewire.algebra.reasoning.demands import TRUE, Demand
from triplewire.algebra.reasoning.domains import FRESH_IRIS, Domain
from triplewire.algebra.reasoning.effort import Effort
from triplewire.algebra.reasoning.refutation import Problem, refuted
from triplewire.algebra.reasoning.situations import Situation, situations
from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import EMPTY, Taxonomy
from triplewire.algebra.verdicts import Answer
from triplewire.rdf.terms import RDF, TW, Term

EFFORT = 200_000
_ASSIGNMENTS = 2_000
_TYPE = RDF["type"]

Question = Subscription | Query | Core | Constraint
Witness = Mapping[Variable, Term]
# For a variable: the ways in which it is narrowed further, each a conjunction of demands.
Choices = Mapping[Variable, Sequence[tuple[Demand, ...]]]


class Satisfiability(Struct, frozen=True):
    """An answer, and the witness where it is yes."""

    answer: Answer
    witness: Witness | None = None


def satisfiable(question: Question, taxonomy: Taxonomy | None = None) -> bool:
    """Whether some event provably meets it: never a wrong yes.

    A query of the general lane is evaluated elsewhere, so there is no witness for it here, and the answer is no; ask
    `satisfiability` to tell "never matches" from "not known".
    """
    return satisfiability(question, taxonomy).answer is Answer.YES


def satisfiability(question: Question, taxonomy: Taxonomy | None = None) -> Satisfiability:
    """Yes with a witness, no with a proof behind it, or unknown."""
    taxonomy, effort = taxonomy or EMPTY, Effort(EFFORT)
    findings = [_of_core(core, taxonomy, effort) for core in _cores(question)]
    if all(finding.answer is Answer.NO for finding in findings):
        return Satisfiability(Answer.NO)
    if isinstance(_asked(question), GeneralQuery):
        return Satisfiability(Answer.UNKNOWN)
    return next((finding for finding in findings if finding.witness is not None), Satisfiability(Answer.UNKNOWN))


def witness_of(
    core: Core, situation: Situation, choices: Choices, taxonomy: Taxonomy, effort: Effort
) -> Witness | None:
    """Terms for the core's variables with which it matches some event, in this situation and within the choices."""
    search = _Search(core, situation, taxonomy, effort)
    for _, binding in zip(range(_ASSIGNMENTS), search.assignments(choices), strict=False):
        witness = search.named(binding)
        if satisfied(core.constraint, witness, taxonomy, search.types(binding)):
            return witness
    return None


def _asked(question: Question) -> Query | Core | Constraint:
    return question.query if isinstance(question, Subscription) else question


def _cores(question: Question) -> tuple[Core, ...]:
    asked = _asked(question)
    if isinstance(asked, Constraint):
        return (_core_around(asked),)
    return cores_of(asked) if isinstance(asked, FastQuery | GeneralQuery) else (asked,)


def _core_around(constraint: Constraint) -> Core:
    """A core that leaves every variable of the constraint as free as an object is."""
    tests = [condition.test for alternative in constraint.alternatives for condition in alternative]
    variables = dict.fromkeys(variable for test in tests for variable in variables_in(test))
    subject, predicate, *_ = FRESH_IRIS
    return Core(tuple(Pattern(subject, predicate, variable) for variable in variables), constraint)


def _of_core(core: Core, taxonomy: Taxonomy, effort: Effort) -> Satisfiability:
    answer = Answer.NO
    for situation in situations(core, taxonomy):
        if refuted(Problem(situation.roles, situation.fixed, taxonomy, effort), situation.demands, ()):
            continue
        witness = witness_of(core, situation, {}, taxonomy, effort)
        if witness is not None:
            return Satisfiability(Answer.YES, witness)
        answer = Answer.UNKNOWN
    return Satisfiability(answer)


class _Search:
    """Assignments of candidate terms to one situation's variables."""

    def __init__(self, core: Core, situation: Situation, taxonomy: Taxonomy, effort: Effort) -> None:
        self._core = core
        self._situation = situation
        self._taxonomy = taxonomy
        self._effort = effort
        mentioned = (variable for demand in situation.demands for variable in demand.variables)
        named = (term for term in situation.names.values() if isinstance(term, Variable))
        self._variables = tuple(dict.fromkeys((*named, *mentioned)))

    def assignments(self, choices: Choices) -> Iterator[dict[Variable, Term]]:
        """Every assignment that meets the demands on single variables and on pairs."""
        options = [self._options(n, choices.get(variable, ((),))) for n, variable in enumerate(self._variables)]
        waiting: list[dict[Variable, Term]] = [{}]
        while waiting and self._effort.spend():
            binding = waiting.pop()
            if len(binding) == len(self._variables):
                yield binding
                continue
            variable = self._variables[len(binding)]
            extended = ({**binding, variable: term} for term in reversed(options[len(binding)]))
            waiting.extend(more for more in extended if self._agrees(more, variable))

    def named(self, binding: Mapping[Variable, Term]) -> dict[Variable, Term]:
        """The assignment in the core's own variables."""
        names = self._situation.names
        return {variable: self._value(names[variable], binding) for variable in self._core.variables}

    def types(self, binding: Mapping[Variable, Term]) -> dict[Term, set[Term]]:
        """The types that an event gives which matches the patterns and whose nodes have the classes demanded."""
        types: dict[Term, set[Term]] = defaultdict(set)
        for pattern in self._situation.patterns:
            if self._value(pattern.predicate, binding) == _TYPE:
                types[self._value(pattern.subject, binding)].add(self._value(pattern.object, binding))
        for instance, cls in self._demanded_types(binding):
            types[instance].add(cls)
        return types

    def _options(self, place: int, choices: Iterable[tuple[Demand, ...]]) -> list[Term]:
        variable = self._variables[place]
        own = tuple(demand for demand in self._situation.demands if demand.variables == (variable,))
        domain = Domain(self._situation.role(variable), self._situation.fixed.get(variable))
        found: list[Term] = [
            term
            for choice in choices
            for term in domain.witnesses(dict.fromkeys((*own, *choice)), self._taxonomy, self._effort)
        ]
        # A fresh IRI of its own keeps the types of one variable off another; shared ones let two variables be equal.
        own_iris: dict[Term, Term] = {iri: TW[f"fresh-{place}-{n}"] for n, iri in enumerate(FRESH_IRIS)}
        return list(dict.fromkeys((*(own_iris.get(term, term) for term in found), *found)))

    def _agrees(self, binding: Mapping[Variable, Term], newest: Variable) -> bool:
        return all(
            demand.allows(binding)
            for demand in self._situation.demands
            if len(demand.variables) == 2 and newest in demand.variables and all(v in binding for v in demand.variables)
        )

    def _demanded_types(self, binding: Mapping[Variable, Term]) -> Iterator[tuple[Term, Term]]:
        for demand in self._situation.demands:
            test = demand.test
            if not isinstance(test, TaxonomyTest) or demand.outcomes != TRUE:
                continue
            term = binding[test.variable]
            if test.relation is TaxonomyRelation.ANCESTOR_OF:
                yield test.cls, term
            elif not self._taxonomy.holds(test.relation, term, test.cls, {}):
                yield term, test.cls

    def _value(self, term: PatternTerm, binding: Mapping[Variable, Term]) -> Term:
        return binding[term] if isinstance(term, Variable) else term
