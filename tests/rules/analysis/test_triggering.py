"""may trigger, the triggering graph, termination, and rules that nothing triggers."""

from __future__ import annotations

import pytest
from tests.rules.analysis.library import analysed, updates

HARMLESS = "DO INSERT (resource(http://example.org/ann), knows, resource(http://example.org/bob))"
SILENT = "ON DELETE (_, knows, _) IF True"


def trigger(action: str, event: str):
    return analysed(f"{SILENT} DO {action}", f"ON {event} IF True {HARMLESS}").may_trigger("r1", "r2")


BOOK = "resource(http://example.org/b)"
ANN = "resource(http://example.org/ann)"


@pytest.mark.parametrize(
    ("action", "event"),
    [
        (f"INSERT {BOOK} AS INSTANCE OF Book", "INSERT resource() AS INSTANCE OF Book"),
        (f"INSERT {BOOK} AS INSTANCE OF Book", "INSERT resource() AS INSTANCE OF Work"),
        (f"INSERT {BOOK} AS INSTANCE OF Book", "INSERT resource()"),
        (f"INSERT {BOOK} AS INSTANCE OF Book", "INSERT (_, rdf:type, resource(http://example.org/Work))"),
        (f"INSERT ({BOOK}, rdf:type, resource(http://example.org/Book))", "INSERT resource() AS INSTANCE OF Work"),
        (f"INSERT ({BOOK}, title, 'x')", "INSERT (_, title, _)"),
        (f"INSERT ({BOOK}, title, 'x')", "INSERT (_, _, _)"),
        (f"INSERT ({BOOK}, editedBy, {ANN})", "INSERT (_, by, _)"),
        (f"INSERT ($shelf, seq++, {BOOK})", "INSERT ($shelf, _, _)"),
        (f"INSERT ($shelf, seq++, {BOOK})", "INSERT (_, rdf:_1, _)"),
        (f"DELETE {BOOK} AS INSTANCE OF Work", "DELETE resource() AS INSTANCE OF Book"),
        (f"DELETE {BOOK} AS INSTANCE OF Book", "DELETE resource() AS INSTANCE OF Work"),
        (f"DELETE {BOOK}", "DELETE (_, title, _)"),
        (f"DELETE {BOOK} AS INSTANCE OF Book", "DELETE (_, title, _)"),
        (f"DELETE {BOOK} AS INSTANCE OF Book", "DELETE ($shelf, _, _)"),
        (f"DELETE ({BOOK}, by, _)", "DELETE (_, editedBy, _)"),
        (f"DELETE ({BOOK}, editedBy, _)", "DELETE (_, by, _)"),
        (f"DELETE ({BOOK}, _, _)", "DELETE (_, title, 'x')"),
        (f"UPDATE ({BOOK}, title, _ -> 'y')", "UPDATE (_, title, _ -> _)"),
        (f"UPDATE ({BOOK}, editedBy, _ -> {ANN})", "UPDATE (_, by, _ -> _)"),
        (f"UPDATE ({BOOK}, by, _ -> {ANN})", "UPDATE (_, editedBy, _ -> _)"),
        (
            f"UPDATE ({BOOK}, rdf:type, _ -> resource(http://example.org/Book))",
            "INSERT resource() AS INSTANCE OF Book",
        ),
        (
            f"UPDATE ({BOOK}, rdf:type, _ -> resource(http://example.org/Book))",
            "DELETE resource() AS INSTANCE OF Journal",
        ),
    ],
)
def test_an_action_may_trigger_an_event(action, event):
    found = trigger(action, event)
    assert found is not None
    assert found.extents
    assert found.reason.startswith("r1 may trigger r2: an action of r1 may ")


@pytest.mark.parametrize(
    ("action", "event"),
    [
        (f"INSERT {BOOK} AS INSTANCE OF Work", "INSERT resource() AS INSTANCE OF Book"),
        (f"INSERT {BOOK} AS INSTANCE OF Book", "INSERT resource() AS INSTANCE OF Journal"),
        (f"INSERT {BOOK} AS INSTANCE OF Book", "DELETE resource() AS INSTANCE OF Book"),
        (f"INSERT {BOOK} AS INSTANCE OF Book", "INSERT (_, _, _)"),
        (f"INSERT ({BOOK}, title, 'x')", "INSERT (_, note, _)"),
        (f"INSERT ({BOOK}, title, 'x')", "DELETE (_, title, _)"),
        (f"INSERT ({BOOK}, title, 'x')", "INSERT resource() AS INSTANCE OF Book"),
        (f"INSERT ({BOOK}, by, {ANN})", "INSERT (_, editedBy, _)"),
        (f"INSERT ($shelf, seq++, {BOOK})", "INSERT ($queue, _, _)"),
        (f"UPDATE ({BOOK}, title, _ -> 'y')", "INSERT (_, title, _)"),
        (f"UPDATE ({BOOK}, title, _ -> 'y')", "UPDATE (_, note, _ -> _)"),
        (f"DELETE {BOOK} AS INSTANCE OF Book", "DELETE (_, knows, _)"),
        (f"DELETE ({BOOK}, title, _)", "DELETE resource()"),
    ],
)
def test_an_action_cannot_trigger_an_event(action, event):
    assert trigger(action, event) is None


CHAIN = (
    "ON INSERT (_, title, _) IF True DO INSERT ($delta, note, 'a')",
    "ON INSERT (_, note, _) IF True DO INSERT ($delta, by, resource(http://example.org/ann))",
    "ON INSERT (_, by, _) IF True DO INSERT ($delta.target, likes, $delta.source)",
)


def test_a_chain_terminates():
    assert analysed(*CHAIN).termination.holds


def test_rules_that_trigger_each_other_show_the_cycle():
    analysis = analysed(*CHAIN, "ON INSERT (_, likes, _) IF True DO INSERT ($delta.target, note, 'again')")
    assert not analysis.termination.holds
    assert analysis.graph.cycles == (("r2", "r3", "r4", "r2"),)
    assert analysis.termination.reason.endswith("r2 -> r3 -> r4 -> r2")


def test_a_rule_that_triggers_itself_is_a_cycle():
    analysis = analysed("ON INSERT (_, knows, _) IF True DO INSERT ($delta.target, knows, $delta.source)")
    assert analysis.graph.cycles == (("r1", "r1"),)


def test_what_no_update_leads_to_is_unreachable():
    analysis = analysed(*CHAIN, "ON DELETE (_, title, _) IF True DO INSERT ($delta, note, 'gone')")
    assert analysis.unreachable(updates(f"INSERT ({BOOK}, note, 'x')")) == ("r1", "r4")
    assert analysis.unreachable(updates(f"DELETE {BOOK}")) == ("r1",)
    assert analysis.triggered_by_no_rule == ("r1", "r4")


def test_triggered_follows_the_graph():
    analysis = analysed(*CHAIN)
    (update,) = updates(f"INSERT ({BOOK}, note, 'x')")
    assert analysis.triggered(update) == ("r2", "r3")
