"""The rules benchmark measures what it says: three rules for each update, a whole chain for each cascade."""

from __future__ import annotations

from benchmarks.rules import workload
from benchmarks.rules.measures import measured
from benchmarks.rules.plans import Plan

from triplewire.rules.analysis import Analysis

TINY = Plan(triples=700, sizes=(10, 30), updates=3, rounds=1, depth=4, analysed=(20,), kept=6, waiting=2)


def test_a_tiny_run_measures_everything(tmp_path):
    told: list[str] = []
    found = measured(TINY, tmp_path, told.append)
    assert found.triples == 700
    assert set(found.updates) == {10, 30}
    assert min(*found.updates.values(), found.durable, found.cascades, *found.analysis.values()) > 0
    assert len(told) == 6


def test_no_rule_but_three_waits_for_an_item_that_is_updated():
    rules = workload.copying_rules(30)
    named = {rule.event.arc.source for rule in rules}
    assert len(named) == 30 - workload.TRIGGERED + 1
    updated = {update.action.arcs[0].source for update in workload.title_updates(TINY.updated_items, 70, "x")}
    assert len(updated) == 70
    assert not named & updated


def test_the_chain_is_one_chain():
    analysis = Analysis(workload.cascading_rules(5), workload.schema(5))
    assert analysis.graph.edges() == [(0, 1), (1, 2), (2, 3), (3, 4)]
