"""Evaluation apart: A11, a query that takes minutes on one event."""

from __future__ import annotations

import time

import pytest
from tests.matching.asking import event, subscription

from triplewire.errors import BudgetExceeded
from triplewire.matching import Matcher
from triplewire.matching.evaluation.budget import Allowance
from triplewire.matching.general.worker import evaluated_apart

ON = event("".join(f":s{n} :p {n} . " for n in range(60)))
HOURS = " ".join(f"?s{n} ?p{n} ?o{n} ." for n in range(9))


def _too_much() -> None:
    raise BudgetExceeded("that was too much")


def _greedy() -> int:
    return len(bytes(8 << 30))


def test_the_answer_comes_back():
    assert evaluated_apart(divmod, (17, 5), Allowance(seconds=60)) == (3, 2)


def test_a_child_that_gives_up_says_why():
    with pytest.raises(BudgetExceeded, match="that was too much"):
        evaluated_apart(_too_much, (), Allowance(seconds=60))


def test_a_child_that_takes_too_long_is_ended():
    with pytest.raises(BudgetExceeded, match=r"did not finish within 0\.5 s"):
        evaluated_apart(time.sleep, (600,), Allowance(seconds=0.5))


def test_a_child_that_wants_too_much_memory_is_ended():
    with pytest.raises(BudgetExceeded, match="needed more than 2,048 MiB"):
        evaluated_apart(_greedy, (), Allowance(seconds=60))


def test_a11_what_cannot_be_stopped_is_evaluated_apart_and_quarantined():
    matcher = Matcher(seconds=1.0)
    matcher.add(subscription(f"SELECT (COUNT(*) AS ?n) {{ {HOURS} }}", name="bomb"))
    matcher.add(subscription("SELECT (COUNT(*) AS ?n) { ?s :p ?o }", name="fine"))
    assert [match.subscription_id for match in matcher.match(ON)] == ["fine"]
    # A loaded machine may reach the limit of processor time or memory before the one of waiting.
    reason = matcher.quarantined["bomb"]
    assert "did not finish within 1 s" in reason or "needed more than" in reason


def test_a_query_that_is_only_feared_to_be_slow_gets_its_answer():
    matcher = Matcher(budget=100, seconds=60)
    matcher.add(subscription("SELECT (COUNT(*) AS ?n) { ?s :p ?o . ?x :p ?y }", name="pairs"))
    [match] = matcher.match(ON)
    assert match.solutions[0]["n"].value == "3600"
    assert not matcher.quarantined


def test_the_budget_holds_for_solutions_apart_too():
    matcher = Matcher(budget=100, seconds=60)
    matcher.add(subscription("SELECT * { ?s :p ?o . ?x :p ?y } ORDER BY ?y", name="pairs"))
    assert matcher.match(ON) == []
    assert "more than 100" in matcher.quarantined["pairs"]
