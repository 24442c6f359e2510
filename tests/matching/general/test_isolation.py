"""The general lane in a process of its own: F11 and A11, a query that crashes it or does not end."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from msgspec.structs import replace
from tests.matching.asking import event, subscription

from triplewire.errors import BudgetExceeded, InputError
from triplewire.matching import Matcher
from triplewire.matching.evaluation.budget import Allowance, Budget
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.general.datasets import Dataset
from triplewire.matching.general.isolated_evaluator import IsolatedEvaluator
from triplewire.matching.general.plan import GeneralPlan, OxigraphQuery

ON = event(':s :p 1, "01"^^<http://www.w3.org/2001/XMLSchema#integer> ; :q "a" .')
COUNTS = subscription("SELECT (COUNT(?o) AS ?n) { ?s :p ?o }", name="counts")
# Far beyond the limits, and beyond any stack: what a hole in the limits would let through.
CRASHING = f"SELECT * {{ ?s ?p ?o FILTER({'?o' + '+?o' * 400_000} > 0) }}"


@pytest.fixture
def evaluator() -> Iterator[IsolatedEvaluator]:
    made = IsolatedEvaluator()
    yield made
    made.close()


def test_answers_are_those_of_this_process(evaluator: IsolatedEvaluator) -> None:
    texts = ["SELECT ?o { ?s :p ?o } ORDER BY ?o", "ASK { ?s :q ?o OPTIONAL { ?s :r ?x } }", "ASK { ?s :r* :s }"]
    apart, here = Matcher(evaluator=evaluator), Matcher()
    for number, text in enumerate(texts):
        for matcher in (apart, here):
            matcher.add(subscription(text, name=str(number)))
    assert [(m.subscription_id, list(m.solutions)) for m in apart.match(ON)] == [
        (m.subscription_id, list(m.solutions)) for m in here.match(ON)
    ]
    assert evaluator.crashes == 0


def test_f11_a_process_that_was_killed_is_started_again_and_asked_once_more(evaluator: IsolatedEvaluator) -> None:
    matcher = Matcher(evaluator=evaluator)
    matcher.add(COUNTS)
    assert len(matcher.match(ON)) == 1
    assert evaluator.pid is not None
    os.kill(evaluator.pid, signal.SIGKILL)
    assert len(matcher.match(ON)) == 1
    assert evaluator.crashes == 1
    assert not matcher.quarantined


def test_f11_a_query_that_crashes_the_process_costs_its_subscription_only(
    evaluator: IsolatedEvaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    matcher = Matcher(evaluator=evaluator)
    matcher.add(subscription("SELECT ?s { ?s :p ?o } ORDER BY ?o", name="crashing"))
    matcher.add(COUNTS)
    asked_of = GeneralPlan.asked_of

    def asked(plan: GeneralPlan, dataset: Dataset) -> OxigraphQuery:
        found = asked_of(plan, dataset)
        return replace(found, text=CRASHING) if "ORDER" in plan.query.text else found

    monkeypatch.setattr(GeneralPlan, "asked_of", asked)
    assert [match.subscription_id for match in matcher.match(ON)] == ["counts"]
    assert "crashed" in matcher.quarantined["crashing"]
    assert evaluator.crashes == 2
    assert [match.subscription_id for match in matcher.match(ON)] == ["counts"]


def test_a2_a_query_that_crashes_while_it_is_looked_at_is_refused(evaluator: IsolatedEvaluator) -> None:
    with pytest.raises(InputError, match="crashed"):
        evaluator.check(CRASHING)
    evaluator.check("ASK { ?s ?p ?o }")


def test_what_oxigraph_refuses_is_told(evaluator: IsolatedEvaluator) -> None:
    with pytest.raises(InputError, match="Oxigraph accepts"):
        evaluator.check("ASK { ?s <urn:p ?o }")
    assert evaluator.crashes == 0


def test_a11_what_does_not_end_in_time_is_ended() -> None:
    evaluator = IsolatedEvaluator(Allowance(seconds=1.0))
    many = event("".join(f":s{n} :p {n} . " for n in range(60)))
    hours = " ".join(f"?s{n} ?p{n} ?o{n} ." for n in range(9))
    try:
        with pytest.raises(BudgetExceeded, match="did not finish within 1 s"):
            evaluator.dataset(EventView(many)).solutions(f"SELECT (COUNT(*) AS ?n) {{ {hours} }}", Budget())
        assert evaluator.pid is None
    finally:
        evaluator.close()


def test_too_many_solutions_exceed_the_budget_there_too(evaluator: IsolatedEvaluator) -> None:
    with pytest.raises(BudgetExceeded, match="more than 1 "):
        evaluator.dataset(EventView(ON)).solutions("SELECT * { ?s ?p ?o }", Budget(1))
