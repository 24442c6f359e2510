"""The rules benchmark measures what it says: three rules for each update, a whole chain for each cascade."""

from __future__ import annotations

import pytest
from benchmarks.rules import workload
from benchmarks.rules.measures import Plan, measured

from triplewire.rules.analysis import Analysis

TINY = Plan(triples=700, sizes=(10, 30), updates=3, rounds=1, depth=4, analysed=(20,))


def test_a_tiny_run_measures_everything():
    told: list[str] = []
    found = measured(TINY, told.append)
    assert found.triples == 700
    assert set(found.updates) == {10, 30}
    assert min(*found.updates.values(), found.cascades, *found.analysis.values()) > 0
    assert len(told) == 5


@pytest.mark.parametrize("rules", [10, 100])
def test_every_update_is_for_an_item_that_three_rules_wait_for(rules):
    waiting = [rule.event.arc.source for rule in workload.copying_rules(rules)]
    for update in workload.title_updates(rules, 50, "x"):
        assert waiting.count(update.action.arcs[0].source) == workload.TRIGGERED


def test_the_chain_is_one_chain():
    analysis = Analysis(workload.cascading_rules(5), workload.schema(5))
    assert analysis.graph.edges() == [(0, 1), (1, 2), (2, 3), (3, 4)]
