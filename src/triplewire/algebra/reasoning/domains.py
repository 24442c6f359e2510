"""What one variable can be: whether some term meets a set of demands.

Terms fall into kinds, and for each kind a finite set of candidates stands for all its terms, as far as these demands
can tell them apart: `number_candidates`, `date_candidates` and `text_candidates` argue it for theirs. IRIs, blank
nodes, triple terms, literals
of unknown datatypes and ill-typed ones differ only by being one of the constants or none of them; there are four
booleans; a kind that no constant belongs to needs one candidate. So trying all candidates is a decision, not a guess,
and what a test comes out as for a candidate is asked of the same code that the matcher asks.

A node's types are not the node's own: an event may type any IRI or blank node as it likes. A taxonomy test that the
taxonomy alone does not make true can therefore come out either way, as long as the demands on types agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from msgspec import Struct

from triplewire.algebra.constraints import (
    Comparator,
    ComparisonTest,
    Constant,
    MembershipTest,
    TaxonomyRelation,
    TaxonomyTest,
    TextTest,
)
from triplewire.algebra.patterns import Variable
from triplewire.algebra.reasoning.date_candidates import KINDS as MOMENTS
from triplewire.algebra.reasoning.date_candidates import moments
from triplewire.algebra.reasoning.demands import AnyTest, Demand, Ground, Identity
from triplewire.algebra.reasoning.effort import Effort
from triplewire.algebra.reasoning.number_candidates import complete as numerals_complete
from triplewire.algebra.reasoning.number_candidates import numerals
from triplewire.algebra.reasoning.situations import Role
from triplewire.algebra.reasoning.text_candidates import (
    Family,
    asks_for_order,
    asks_for_part,
    by_order,
    families,
    likely,
    names_one,
    separator_for,
    woven,
)
from triplewire.algebra.taxonomy import EMPTY, Taxonomy
from triplewire.algebra.verdicts import Answer
from triplewire.rdf.literals.values import Kind, kind_of
from triplewire.rdf.terms import TW, XSD, BlankNode, Literal, NamedNode, Term, Triple

# Fresh terms: no query has a reason to mention these.
FRESH_IRIS = tuple(TW[f"fresh-{n}"] for n in range(3))
_BLANKS = tuple(BlankNode(f"fresh{n}") for n in range(2))
_TRIPLE = Triple(FRESH_IRIS[0], FRESH_IRIS[1], FRESH_IRIS[2])
_OPAQUE = (Literal("fresh", datatype=TW["fresh-datatype"]), Literal("fresh", datatype=XSD["integer"]))
_BOOLEANS = tuple(Literal(text, datatype=XSD["boolean"]) for text in ("true", "false", "1", "0"))
# Kinds whose values are not enumerated, each with one of its literals.
_UNTRIED = {
    Kind.TIME: Literal("12:00:00", datatype=XSD["time"]),
    Kind.G_YEAR_MONTH: Literal("2000-01", datatype=XSD["gYearMonth"]),
    Kind.G_MONTH: Literal("--01", datatype=XSD["gMonth"]),
    Kind.G_MONTH_DAY: Literal("--01-01", datatype=XSD["gMonthDay"]),
    Kind.G_DAY: Literal("---01", datatype=XSD["gDay"]),
    Kind.DURATION: Literal("P1D", datatype=XSD["duration"]),
}
# Kinds in which one value has infinitely many literals.
_PADDED = frozenset({Kind.NUMERIC, Kind.DATE_TIME})
# A date's text has at most 256 characters; constants that come near are not reasoned about.
_LONGEST_DATE = 120


class CandidateTerms(Struct, frozen=True):
    """Terms to try. `complete`: if any term of their kinds meets the demands, one of these does."""

    terms: tuple[Term, ...]
    complete: bool = True


class Domain(Struct, frozen=True):
    """What is known of a variable before any demand: its role in the patterns, or the one term that it stands for."""

    role: Role = Role.ANY
    fixed: Ground | None = None

    def answer(self, demands: Iterable[Demand], taxonomy: Taxonomy, effort: Effort) -> Answer:
        """Whether some term meets all the demands, each of which is about this variable alone."""
        sure = True
        for question, candidates in self._tries(tuple(demands), taxonomy, effort):
            if any(question.met_by(term) for term in candidates.terms):
                return Answer.YES
            sure = sure and candidates.complete
        return Answer.NO if sure and not effort.exhausted else Answer.UNKNOWN

    def witnesses(self, demands: Iterable[Demand], taxonomy: Taxonomy, effort: Effort) -> list[Term]:
        """The candidates that meet the demands, as far as types allow."""
        wanted = tuple(demands)
        if not wanted and self.fixed is None:
            return list(_unconstrained(self.role))
        tries = self._tries(wanted, taxonomy, effort)
        found = (term for question, candidates in tries for term in candidates.terms if question.met_by(term))
        return list(dict.fromkeys(found))

    def _tries(
        self, demands: tuple[Demand, ...], taxonomy: Taxonomy, effort: Effort
    ) -> Iterator[tuple[_Question, CandidateTerms]]:
        if not (_contradictory(demands) or _bounds_contradict(demands) or _types_contradict(demands, taxonomy)):
            question = _Question(demands, taxonomy, effort)
            yield from ((question, candidates) for candidates in self._candidates(question))

    def _candidates(self, question: _Question) -> Iterator[CandidateTerms]:
        one = self.fixed or question.named
        if one is not None:
            yield CandidateTerms((one,) if _in_role(one, self.role) else ())
            return
        yield question.iris()
        if self.role is not Role.IRI:
            yield CandidateTerms(_BLANKS)
        if self.role is Role.ANY:
            yield from question.literals()


@lru_cache(maxsize=len(Role))
def _unconstrained(role: Role) -> tuple[Term, ...]:
    """All candidates, where nothing is demanded of them."""
    question = _Question((), EMPTY, Effort(1_000))
    return tuple(dict.fromkeys(term for found in Domain(role)._candidates(question) for term in found.terms))


class _Question:
    """Some demands on one variable, and the candidates that their constants call for."""

    def __init__(self, demands: tuple[Demand, ...], taxonomy: Taxonomy, effort: Effort) -> None:
        self._demands = demands
        self._taxonomy = taxonomy
        self._effort = effort

    @cached_property
    def _constants(self) -> tuple[Term, ...]:
        return tuple(dict.fromkeys(constant for demand in self._demands for constant in _constants(demand)))

    @cached_property
    def _literals(self) -> list[Literal]:
        return [constant for constant in self._constants if isinstance(constant, Literal)]

    @cached_property
    def named(self) -> Ground | None:
        """The one term that the variable must be, if a demand says so."""
        tests = (demand.test for demand in self._demands if demand.outcomes == {True})
        return next((test.term for test in tests if isinstance(test, Identity)), None)

    @cached_property
    def _identities(self) -> list[Literal]:
        """The literals that tests name as terms, not as values."""
        named = (demand.test.term for demand in self._demands if isinstance(demand.test, Identity))
        return [term for term in named if isinstance(term, Literal)]

    @cached_property
    def _padding(self) -> int:
        """Zeros enough to write a value as no test names it; none where it does not matter how it is written."""
        return max((len(term.value) + 1 for term in self._identities if kind_of(term) in _PADDED), default=0)

    def met_by(self, term: Term) -> bool:
        """Whether the term meets all the demands; once the effort is spent, nothing does."""
        return self._meets(term, self._demands)

    def _meets(self, term: Term, demands: Iterable[Demand]) -> bool:
        return all(self._effort.spend(_cost(demand)) and _can_meet(demand, term, self._taxonomy) for demand in demands)

    def iris(self) -> CandidateTerms:
        return CandidateTerms((*FRESH_IRIS, *(term for term in self._constants if isinstance(term, NamedNode))))

    def literals(self) -> Iterator[CandidateTerms]:
        """All literals, and triple terms, which tests treat like literals without a value."""
        others = tuple(term for term in self._constants if not isinstance(term, NamedNode))
        yield CandidateTerms((*others, _TRIPLE, *_OPAQUE, *_BOOLEANS, *_UNTRIED.values()), self._no_untried())
        # Each constant calls for a dozen more candidates, and making them is work too.
        if not self._effort.spend(12 * len(self._literals)):
            return
        numbers = numerals(self._literals, padding=self._padding)
        yield CandidateTerms(tuple(numbers), numerals_complete(self._literals, named=self._identities))
        for kind in MOMENTS:
            found = moments(kind, self._literals, padding=min(self._padding, _LONGEST_DATE))
            yield CandidateTerms(tuple(found), self._padding <= _LONGEST_DATE)
        for family in families(self._literals):
            yield self._strings(family)

    def _no_untried(self) -> bool:
        return not any(kind_of(literal) in _UNTRIED for literal in self._literals)

    def _strings(self, family: Family) -> CandidateTerms:
        parts = [demand for demand in self._demands if asks_for_part(demand, family)]
        orders = [demand for demand in self._demands if asks_for_order(demand, family)]
        ordered = by_order(family, self._literals)
        if not parts:
            return CandidateTerms(tuple(ordered))
        alone = [woven(family, parts, separator_for(literal.value for literal in self._literals))]
        if not orders or any(names_one(demand) for demand in self._demands):
            return CandidateTerms((*alone, *ordered))
        if self._none_meets(ordered, without=parts) or self._none_meets([*alone, *ordered], without=orders):
            return CandidateTerms(())
        return CandidateTerms((*alone, *ordered, *likely(family, parts, self._literals)), complete=False)

    def _none_meets(self, terms: Sequence[Term], *, without: Sequence[Demand]) -> bool:
        rest = [demand for demand in self._demands if demand not in without]
        return not any(self._meets(term, rest) for term in terms)


def _in_role(term: Term, role: Role) -> bool:
    if role is Role.IRI:
        return isinstance(term, NamedNode)
    return role is Role.ANY or isinstance(term, NamedNode | BlankNode)


def _can_meet(demand: Demand, term: Term, taxonomy: Taxonomy) -> bool:
    test = demand.test
    if isinstance(test, TaxonomyTest):
        return not demand.outcomes.isdisjoint(_typed(test, term, taxonomy))
    return demand.allows(dict.fromkeys(demand.variables, term))


def _typed(test: TaxonomyTest, term: Term, taxonomy: Taxonomy) -> set[bool]:
    """What a taxonomy test can come out as, whatever types the event gives."""
    if isinstance(term, Literal | Triple):
        return {False}
    return {True} if taxonomy.holds(test.relation, term, test.cls, {}) else {True, False}


def _contradictory(demands: Iterable[Demand]) -> bool:
    """Whether one test is wanted in two ways, or a list is left out of which the value must be in a part."""
    allowed: dict[object, frozenset[bool | None]] = {}
    inside: list[frozenset[Constant]] = []
    outside: list[frozenset[Constant]] = []
    for demand in demands:
        allowed[demand.test] = allowed.get(demand.test, demand.outcomes) & demand.outcomes
        if isinstance(demand.test, MembershipTest) and True not in demand.outcomes:
            outside.append(frozenset(demand.test.constants))
        elif demand.outcomes == {True}:
            inside += _lists(demand.test)
    return not all(allowed.values()) or any(part <= whole for part in inside for whole in outside)


def _lists(test: AnyTest) -> list[frozenset[Constant]]:
    """The constants of which one must equal the variable for the test to be true."""
    if isinstance(test, MembershipTest):
        return [frozenset(test.constants)]
    if isinstance(test, ComparisonTest) and test.operator is Comparator.EQUAL and not isinstance(test.right, Variable):
        return [frozenset({test.right})]
    return []


def _bounds_contradict(demands: Iterable[Demand]) -> bool:
    """Whether a value that must be beyond one whole number need not be beyond another that comes first.

    The candidates would show it too. This is what is asked most, of queries that differ in a threshold.
    """
    bounds = [bound for demand in demands if (bound := _bound(demand)) is not None]
    return any(
        sign == other_sign and must and not other_must and (number, is_open) >= (other, is_other_open)
        for sign, number, is_open, must in bounds
        for other_sign, other, is_other_open, other_must in bounds
    )


def _bound(demand: Demand) -> tuple[int, int, bool, bool] | None:
    """The direction, the number as that direction counts, whether it is left out; and whether beyond it is a must."""
    test = demand.test
    if not isinstance(test, ComparisonTest) or not isinstance(test.right, Literal) or test.operator not in _DIRECTIONS:
        return None
    # So far every kind of number counts one by one: a float beyond one of these is beyond it exactly.
    digits = test.right.value
    if test.right.datatype != XSD["integer"] or len(digits) > 7 or not digits.isascii() or not digits.isdigit():
        return None
    sign, is_open = _DIRECTIONS[test.operator]
    if demand.outcomes == {True}:
        return sign, sign * int(digits), is_open, True
    return None if True in demand.outcomes else (sign, sign * int(digits), is_open, False)


_DIRECTIONS = {
    Comparator.GREATER: (1, True),
    Comparator.AT_LEAST: (1, False),
    Comparator.LESS: (-1, True),
    Comparator.AT_MOST: (-1, False),
}


def _types_contradict(demands: Sequence[Demand], taxonomy: Taxonomy) -> bool:
    """Whether a class that the node must be under is under one that it must not be under."""
    about = [(demand, demand.test) for demand in demands if isinstance(demand.test, TaxonomyTest)]
    # A taxonomy test is never an error, so what may not be false must be true.
    given = {test.cls for demand, test in about if False not in demand.outcomes and test.relation in _GIVES_TYPE}
    return any(
        taxonomy.is_a(_BLANKS[0], test.cls, given)
        for demand, test in about
        if True not in demand.outcomes and test.relation is TaxonomyRelation.IS_A
    )


_GIVES_TYPE = frozenset({TaxonomyRelation.IS_A, TaxonomyRelation.DIRECT})


def _constants(demand: Demand) -> Iterator[Term]:
    test = demand.test
    if isinstance(test, ComparisonTest):
        yield from (side for side in (test.left, test.right) if not isinstance(side, Variable))
    elif isinstance(test, MembershipTest):
        yield from test.constants
    elif isinstance(test, Identity):
        yield test.term
    elif isinstance(test, TextTest):
        yield test.text
    elif isinstance(test, TaxonomyTest):
        yield test.cls


def _cost(demand: Demand) -> int:
    return len(demand.test.constants) if isinstance(demand.test, MembershipTest) else 1
