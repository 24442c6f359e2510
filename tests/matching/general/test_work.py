"""A11: an evaluation ends when its budget does, whatever the query is made of."""

from __future__ import annotations

import pytest
from tests.matching.asking import event, subscription

from triplewire.matching import Matcher

MANY = event("".join(f":s{n} :p {n} ; :to :s{n + 1} . " for n in range(60)))
ENDLESS = '"P2MT25098437536761H"^^xsd:duration'
DOUBLED = " ".join(f"BIND(CONCAT(?x{n}, ?x{n}) AS ?x{n + 1})" for n in range(60))
GROWN = "REPLACE(" * 5 + '"a"' + f', "a", "{"a" * 64}")' * 5
CROSS = " ".join(f"?s{n} ?p{n} ?o{n} ." for n in range(9))


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT (COUNT(*) AS ?n) {{ {CROSS} }}",
        f"SELECT ?s0 {{ {CROSS} }} ORDER BY ?o8 LIMIT 1",
        f"SELECT DISTINCT ?s0 {{ {CROSS} OPTIONAL {{ ?s0 :none ?x }} }}",
        f"ASK {{ {CROSS} FILTER(STRLEN(STR(?s0)) + STRLEN(STR(?o8)) < 0) }}",
        "SELECT * { ?a (:to|^:to)* ?b . ?c (:to|^:to)* ?d . ?e (:to|^:to)* ?f }",
        f'SELECT ?x60 {{ ?s :p 1 BIND("ab" AS ?x0) {DOUBLED} }}',
        f"SELECT ?x {{ ?s :p 1 BIND({GROWN} AS ?x) }}",
        f'SELECT ?x {{ ?s :p 1 BIND("2026-01-01T00:00:00Z"^^xsd:dateTime + {ENDLESS} AS ?x) }}',
        f"SELECT (GROUP_CONCAT(?t) AS ?x) {{ {CROSS} BIND(STR(?s0) AS ?t) }}",
    ],
)
def test_a11_work_ends_with_its_budget_and_the_others_go_on(query):
    matcher = Matcher(budget=100_000)
    matcher.add(subscription(query, name="heavy"))
    matcher.add(subscription("SELECT ?s { ?s :p 7 OPTIONAL { ?s :none ?x } }", name="fair"))
    assert [match.subscription_id for match in matcher.match(MANY)] == ["fair"]
    assert "at most 100,000 steps" in matcher.quarantined["heavy"]
    assert [match.subscription_id for match in matcher.match(MANY)] == ["fair"]


def test_a_fault_of_ours_costs_its_subscription_only(monkeypatch, caplog):
    """F11: what nobody has thought of is logged, and quarantined with the reason."""
    from triplewire.matching.general.plan import GeneralPlan

    solved = GeneralPlan.answer

    def faulty(plan, view, steps):
        if "none" not in plan.query.text:
            raise RuntimeError("a fault")
        return solved(plan, view, steps)

    monkeypatch.setattr(GeneralPlan, "answer", faulty)
    matcher = Matcher()
    matcher.add(subscription("SELECT ?s { ?s :p ?o } ORDER BY ?o", name="faulty"))
    matcher.add(subscription("SELECT ?s { ?s :p 7 OPTIONAL { ?s :none ?x } }", name="fair"))
    assert [match.subscription_id for match in matcher.match(MANY)] == ["fair"]
    assert "a fault" in matcher.quarantined["faulty"]
    assert "'faulty' failed" in caplog.text
