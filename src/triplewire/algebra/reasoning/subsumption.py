"""Subsumption and implication between queries (Chirita et al., definition 3).

`a` subsumes `b` if in every situation of b, whatever the values, some homomorphism from a finds a match with the same
answer. That is decided by refutation: b's demands together with, for each homomorphism and each alternative of a, the
failure of one of its conditions. Several homomorphisms may be needed at once: `t(S,p,Y) and Y <= 5` is wider than
`t(S,p,Y1) and t(S,p,Y2) and (Y1 <= 5 or Y2 <= 5)`, and each case has a witness of its own.

A yes is always right. A no is right for the class L of definition 2; elsewhere it may also mean that no proof was found
within the effort. Taxonomy tests are read with the taxonomy given, or with none: the one that the matcher uses.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from triplewire.algebra.constraints import Condition, variables_in
from triplewire.algebra.patterns import PatternTerm, Variable
from triplewire.algebra.queries import Ask, Construct, Core, FastQuery, Form, GeneralQuery, Query, Select, cores_of
from triplewire.algebra.reasoning.demands import NOT_TRUE, Demand, Ground, opposite_of
from triplewire.algebra.reasoning.effort import Effort
from triplewire.algebra.reasoning.homomorphisms import EMPTY as NOWHERE
from triplewire.algebra.reasoning.homomorphisms import Homomorphism, homomorphisms, sent, without_counterpart
from triplewire.algebra.reasoning.refutation import Clause, Problem, refuted
from triplewire.algebra.reasoning.renaming import renamed_demand
from triplewire.algebra.reasoning.situations import EVENT, Situation, bound_alternatives, plain, situations
from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import EMPTY, Taxonomy
from triplewire.algebra.verdicts import Verdict

EFFORT = 200_000

# Pairs of terms that must come out the same: the wider query's, and the narrower one's.
Pairs = tuple[tuple[PatternTerm, PatternTerm], ...]


def subsumes(a: Subscription | Query, b: Subscription | Query, taxonomy: Taxonomy | None = None) -> bool:
    """Whether every answer of b, on every event, is an answer of a: definition 3.

    Answers are compared as sets, the projected variables by position. Two ASK queries are compared by whether they
    match, two CONSTRUCT queries by their templates, position by position.
    """
    return explain_subsumes(a, b, taxonomy).holds


def implies(b: Subscription | Query, a: Subscription | Query, taxonomy: Taxonomy | None = None) -> bool:
    """Whether every event that b matches, a matches too, whatever they project."""
    return explain_implies(b, a, taxonomy).holds


def explain_subsumes(a: Subscription | Query, b: Subscription | Query, taxonomy: Taxonomy | None = None) -> Verdict:
    """The same as `subsumes`, with one sentence why."""
    wide, narrow = _query(a), _query(b)
    search = _Search(taxonomy or EMPTY, Effort(EFFORT))
    if _equal(wide, narrow):
        return Verdict(True, "the two queries are equal after renaming variables")
    if search.never(narrow):
        return Verdict(True, "the narrower query can never match, so everything subsumes it")
    if not isinstance(wide, FastQuery) or not isinstance(narrow, FastQuery):
        return Verdict(False, "a general-lane query is only known to be subsumed by an equal one, and these differ")
    pairs = _answers(wide.form, narrow.form)
    return Verdict(False, pairs) if isinstance(pairs, str) else search.contained(wide.core, narrow.core, pairs)


def explain_implies(b: Subscription | Query, a: Subscription | Query, taxonomy: Taxonomy | None = None) -> Verdict:
    """The same as `implies`, with one sentence why."""
    wide, narrow = _query(a), _query(b)
    search = _Search(taxonomy or EMPTY, Effort(EFFORT))
    if _equal(wide, narrow):
        return Verdict(True, "the two queries are equal after renaming variables")
    if search.never(narrow):
        return Verdict(True, "the narrower query can never match, so it implies everything")
    if not isinstance(wide, FastQuery):
        return Verdict(False, "a general-lane query is only known to be implied by an equal one, and these differ")
    verdicts = [search.contained(wide.core, core, ()) for core in cores_of(narrow)]
    return next((verdict for verdict in verdicts if not verdict), verdicts[-1])


class _Search(Struct, frozen=True):
    """One question's taxonomy and effort."""

    taxonomy: Taxonomy
    effort: Effort

    def never(self, query: Query) -> bool:
        """Whether the query provably matches no event."""
        return all(self._closed(s, ()) for core in cores_of(query) for s in situations(core, self.taxonomy))

    def contained(self, wide: Core, narrow: Core, pairs: Pairs) -> Verdict:
        """Whether every match of the narrow core gives the wide one a match in which the pairs come out the same."""
        for situation in situations(narrow, self.taxonomy):
            if self._closed(situation, ()):
                continue
            start = self._start(wide, situation, pairs)
            if start is None:
                return Verdict(False, "the two do not answer with the same terms")
            ways = homomorphisms(wide.patterns, _relevant(wide), situation, start, self.effort)
            failures = self._failures(wide, ways)
            if self.effort.exhausted:
                return Verdict(False, "no proof was found within the effort allowed")
            if not ways:
                return Verdict(False, _misfit(wide, situation))
            if not self._closed(situation, failures):
                return Verdict(False, "the narrower query's constraint does not imply the wider one's")
        return Verdict(True, "the wider query's patterns fit into the narrower one's, whose constraint implies its own")

    def _start(self, wide: Core, situation: Situation, pairs: Pairs) -> Homomorphism | None:
        """What is sent before any pattern is: graphs to the event's IRI, and answers to answers."""
        graphs = [(graph, situation.names[EVENT]) for graph in wide.graphs]
        named: list[tuple[PatternTerm, PatternTerm]] = []
        for ours, theirs in pairs:
            bound = _bound(ours, wide.variables), _bound(theirs, tuple(situation.names))
            if bound == (False, False):
                continue
            if bound != (True, True):
                return None
            named.append((ours, situation.names[theirs] if isinstance(theirs, Variable) else theirs))
        return sent(NOWHERE, (*graphs, *named), situation)

    def _failures(self, wide: Core, ways: Sequence[Homomorphism]) -> list[tuple[Clause, dict[Variable, Ground]]]:
        """For each way and each alternative: the demands of which one must hold for that to be no match."""
        alternatives = bound_alternatives(wide)
        if not self.effort.spend(len(ways) * sum(len(alternative) + 1 for alternative in alternatives)):
            return []
        return [self._failure(alternative, way) for way in ways for alternative in alternatives]

    def _failure(self, alternative: Sequence[Condition], way: Homomorphism) -> tuple[Clause, dict[Variable, Ground]]:
        fixed: dict[Variable, Ground] = {}
        opposites = (plain(opposite_of(condition), self.taxonomy) for condition in alternative)
        failed = [renamed_demand(demand, way.mapping.__getitem__, fixed) for demand in opposites]
        failed += [Demand(identity.test, NOT_TRUE) for identity in way.identities]
        return tuple(dict.fromkeys(failed)), fixed

    def _closed(self, situation: Situation, failures: Sequence[tuple[Clause, dict[Variable, Ground]]]) -> bool:
        fixed = dict(situation.fixed)
        for _, more in failures:
            fixed |= more
        problem = Problem(situation.roles, fixed, self.taxonomy, self.effort)
        return refuted(problem, situation.demands, [clause for clause, _ in failures])


def _query(given: Subscription | Query) -> Query:
    return given.query if isinstance(given, Subscription) else given


def _equal(a: Query, b: Query) -> bool:
    if isinstance(a, GeneralQuery) and isinstance(b, GeneralQuery):
        return a.canonical == b.canonical
    return a == b


def _misfit(wide: Core, situation: Situation) -> str:
    stranger = without_counterpart(wide.patterns, situation)
    if stranger is None:
        return "the wider query's patterns do not fit together into the narrower one's"
    return f"the wider query's pattern {stranger} has no counterpart in the narrower one"


def _bound(term: PatternTerm, variables: Sequence[Variable]) -> bool:
    return not isinstance(term, Variable) or term in variables


def _relevant(core: Core) -> set[Variable]:
    """The variables whose images the constraint asks about."""
    return {v for alternative in core.constraint.alternatives for c in alternative for v in variables_in(c.test)}


def _answers(wide: Form, narrow: Form) -> Pairs | str:
    """What must come out the same for answers to be the same, or why they never are."""
    if isinstance(wide, Ask) and isinstance(narrow, Ask):
        return ()
    if isinstance(wide, Select) and isinstance(narrow, Select):
        widely, narrowly = len(wide.variables), len(narrow.variables)
        if widely != narrowly:
            return f"variables projected: {widely} by the wider query, {narrowly} by the narrower"
        return tuple(zip(wide.variables, narrow.variables, strict=True))
    if isinstance(wide, Construct) and isinstance(narrow, Construct):
        return _templates(wide, narrow)
    return f"the answers of {_kind(wide)} and {_kind(narrow)} cannot be compared"


def _templates(wide: Construct, narrow: Construct) -> Pairs | str:
    ours = [term for pattern in wide.template for term in pattern]
    theirs = [term for pattern in narrow.template for term in pattern]
    different = "the two CONSTRUCT templates differ"
    if len(ours) != len(theirs):
        return different
    blanks: dict[PatternTerm, PatternTerm] = {}
    pairs: list[tuple[PatternTerm, PatternTerm]] = []
    for a, b in zip(ours, theirs, strict=True):
        if _fresh(a) != _fresh(b) or (_fresh(a) and blanks.setdefault(a, b) != b):
            return different
        if not _fresh(a):
            pairs.append((a, b))
    return different if len(set(blanks.values())) < len(blanks) else tuple(pairs)


def _fresh(term: PatternTerm) -> bool:
    return isinstance(term, Variable) and term.is_blank


def _kind(form: Form) -> str:
    return {Select: "a SELECT", Ask: "an ASK", Construct: "a CONSTRUCT"}[type(form)]
