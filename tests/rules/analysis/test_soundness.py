"""What the analysis rules out does not happen: in every run, whatever fires was foreseen."""

from __future__ import annotations

from hypothesis import given
from tests.rules.analysis.library import SCHEMA
from tests.rules.analysis.test_orders import cases
from tests.rules.execution.cases import rules, schedules
from tests.rules.execution.town import a, arc, town
from tests.rules.family import FAMILY

from triplewire.rdf.terms import Literal
from triplewire.rules.analysis import Analysis
from triplewire.rules.execution import Limits, Rulebook, Runner, ScheduleOutcome
from triplewire.rules.repository import Repository

LIMITS = Limits(depth=5, updates=60)


def assert_foreseen(analysis: Analysis, outcome: ScheduleOutcome, unreachable: tuple[str, ...]) -> None:
    """Every firing has an edge of the triggering graph, or an update, behind it."""
    known = {entry.number: entry for entry in outcome.entries}
    for firing in outcome.firings:
        assert firing.rule is not None
        assert firing.rule not in analysis.never_firing
        assert firing.rule not in unreachable
        cause = known[firing.cause or 0]
        if cause.rule is not None:
            assert analysis.may_trigger(cause.rule, firing.rule) is not None


@given(rules, schedules)
def test_whatever_fires_in_the_town_was_foreseen(drawn, updates):
    analysis = Analysis(drawn, FAMILY)
    texts = (arc("ann", "likes", "bob"), arc("bob", "owns", "mug"), arc("cat", "name", Literal("x")))
    repository = town(a("dan", "Nurse"), *texts)
    outcome = Runner(repository, Rulebook(FAMILY, drawn), limits=LIMITS).run(updates)
    assert_foreseen(analysis, outcome, analysis.unreachable(updates))


@given(cases())
def test_whatever_fires_in_the_library_was_foreseen(case):
    triples, drawn, updates = case
    analysis = Analysis(drawn, SCHEMA)
    repository = Repository(SCHEMA)
    repository.load(triples)
    outcome = Runner(repository, Rulebook(SCHEMA, drawn), limits=LIMITS).run(updates)
    assert_foreseen(analysis, outcome, analysis.unreachable(updates))
