"""I1, I2, C1, C2 and what is beyond them, each with its reason."""

from __future__ import annotations

import pytest
from tests.rules.analysis.library import analysed

ON_BOOK = "ON INSERT resource() AS INSTANCE OF Book IF True DO"
ANN = "resource(http://example.org/ann)"
BOB = "resource(http://example.org/bob)"
BOOK = "resource(http://example.org/b)"
ON_KNOWS = "ON INSERT (_, knows, _) IF True DO"
IF_TITLED = "ON INSERT resource() AS INSTANCE OF Book IF $delta/target(title) = 'x' DO"


def answers(*rules: str) -> tuple[bool, bool, bool]:
    found = analysed(*rules).well_defined("r1")
    return found.i1.holds, found.i2.holds, found.i3.holds


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (f"{ON_BOOK} INSERT ($delta, title, 'x')", (True, True, True)),
        (f"{ON_BOOK} INSERT ($shelf, seq++, $delta)", (True, True, True)),
        # I1: no $delta in the actions, so the copies are the same
        (f"{IF_TITLED} UPDATE ({ANN}, knows, _ -> {BOB})", (True, True, True)),
        # I1: UPDATE actions that refer to $delta
        (f"{ON_BOOK} UPDATE ($delta, title, _ -> 'x')", (False, True, False)),
        (f"{ON_BOOK} UPDATE ({ANN}, likes, _ -> $delta)", (False, True, False)),
        # I1: elements of lists
        (f"{ON_BOOK} INSERT ($queue, seq++, $delta)", (False, True, False)),
        (f"{ON_BOOK} DELETE ($queue, _, $delta)", (False, True, False)),
        # I3: one copy reads what another one writes
        (f"{ON_BOOK} INSERT ({ANN}/target(likes), title, 'x'), ({ANN}, likes, $delta)", (True, True, False)),
        # I3: one copy deletes what another one inserts
        (f"{ON_KNOWS} DELETE ($delta.target, likes, _), INSERT ($delta.source, likes, {BOOK})", (True, True, False)),
    ],
)
def test_i1_i2_i3_of_a_rule_alone(rule, expected):
    assert answers(rule) == expected


def test_i2_fails_where_triggered_rules_query_what_triggered_rules_update():
    found = analysed(
        f"{ON_BOOK} INSERT ($delta, title, 'x')",
        f"ON INSERT (_, title, _) IF $delta/target(by) DO INSERT ($delta, by, {ANN})",
    ).well_defined("r1")
    assert not found.i2.holds
    assert "(<http://example.org/Work>, <http://example.org/by>, <http://example.org/Person>)" in found.i2.reason


def test_i3_sees_lists_that_triggered_rules_write():
    rules = (
        f"{ON_BOOK} INSERT ($delta, title, 'x')",
        "ON INSERT (_, title, _) IF True DO INSERT ($queue, seq++, $delta)",
    )
    assert answers(*rules) == (True, True, False)
    assert answers(rules[0], rules[1].replace("$queue", "$shelf")) == (True, True, True)


def test_i3_sees_triggered_rules_that_append_once_a_change():
    rules = (
        f"{ON_BOOK} INSERT ({ANN}, likes, $delta)",
        "ON INSERT (_, likes, _) IF True DO INSERT ($shelf, seq++, resource(http://example.org/b))",
    )
    assert answers(*rules) == (True, True, False)


def pair(first: str, second: str, *others: str):
    return analysed(first, second, *others).commutes("r1", "r2")


def test_c1_fails_where_action_parts_access_the_same_schema_triple():
    found = pair(f"{ON_BOOK} INSERT ($delta, title, 'x')", f"{ON_BOOK} DELETE ($delta, title, _)")
    assert not found.c1.holds
    assert "both action parts access (<http://example.org/Work>, <http://example.org/title>" in found.c1.reason
    assert not found.c3.holds


def test_c2_fails_where_one_cascade_queries_what_the_other_updates():
    found = pair(
        f"{ON_BOOK} INSERT ($delta, title, 'x')",
        f"{ON_BOOK} INSERT ($delta, note, 'y')",
        f"ON INSERT (_, title, _) IF True DO INSERT ($delta, by, {ANN})",
        f"ON INSERT (_, note, _) IF $delta/target(by) DO INSERT ($delta, editedBy, {ANN})",
    )
    assert found.c1.holds
    assert not found.c2.holds


def test_c3_fails_where_a_resource_has_to_be_there_first():
    found = pair(
        "ON INSERT (_, knows, _) IF True DO INSERT $delta.target/target(likes) AS INSTANCE OF Book",
        "ON INSERT (_, knows, _) IF True DO INSERT (resource(http://example.org/b), title, 'x')",
    )
    assert found.c1.holds
    assert found.c2.holds
    assert not found.c3.holds
    assert "the instances of <http://example.org/Work>" in found.c3.reason


ON_TITLE = "ON INSERT (_, title, _) IF True DO"


@pytest.mark.parametrize(
    "taken",
    [
        "DELETE $delta AS INSTANCE OF Work",
        "DELETE $delta AS INSTANCE OF Book",
        "DELETE ($delta, rdf:type, resource(http://example.org/Work))",
        "DELETE $delta",
    ],
)
def test_c3_fails_where_a_resource_stays_only_if_it_gets_another_class_first(taken):
    """The other class has nothing to do with those that the rules know, and yet decides whether the arcs go."""
    found = pair(f"{ON_TITLE} {taken}", f"{ON_TITLE} INSERT $delta AS INSTANCE OF Person")
    assert found.c1.holds is (taken != "DELETE $delta")
    assert not found.c3.holds
    assert "the instances of <http://example.org/Person>" in found.c3.reason


def test_rules_that_write_apart_commute():
    assert pair(f"{ON_BOOK} INSERT ($delta, title, 'x')", f"{ON_BOOK} INSERT ($delta, note, 'y')").holds


def test_i3_and_c3_fail_where_a_rule_aborts_and_not_all_of_it_is_undone():
    stay, guard = f"{ON_BOOK} INSERT ($delta, title, 'x')", "ON INSERT (_, note, _) IF True DO ABORT 'no notes'"
    note = f"{ON_BOOK} INSERT ($delta, note, 'y')"
    assert pair(stay, note, guard).holds
    for rules in ((f"ABORT INDEPENDENT {stay}", note, guard), (stay, note, f"ABORT CHILDPARENT {guard}")):
        found = pair(*rules)
        assert not found.c3.holds
        assert "a rule aborts on purpose" in found.c3.reason
        assert not any(c.reasons(analysed(*rules).index).holds for c in analysed(*rules).conflicts)
    assert answers(f"ABORT INDEPENDENT {ON_BOOK} INSERT ($delta, title, 'x'); ABORT 'no'") == (True, True, False)
    assert answers(f"ABORT INDEPENDENT {ON_BOOK} ABORT 'no'") == (True, True, True)


def conflicting(*rules: str) -> set[frozenset[str]]:
    return {frozenset({c.rule, other}) for c in analysed(*rules).conflicts for other in c.others}


TITLES = f"{ON_BOOK} UPDATE ($delta, title, _ -> 'x')"


def test_conflicts_are_pairs_that_meet_unordered():
    assert conflicting(TITLES, TITLES, f"{ON_BOOK} INSERT ($delta, note, 'y')") == {frozenset({"r1", "r2"})}


def test_precedence_orders_pairs_through_others():
    first, second = (f"RULE r{n} PRECEDES r{n + 1} {TITLES}" for n in (1, 2))
    assert conflicting(first, second, f"RULE r3 {TITLES}") == set()
    assert conflicting(first, f"RULE r2 {TITLES}", f"RULE r3 {TITLES}") == {
        frozenset({"r1", "r3"}),
        frozenset({"r2", "r3"}),
    }


def test_rules_of_different_coupling_or_occurrence_do_not_meet():
    assert conflicting(TITLES, f"COUPLING DEFERRED {TITLES}") == set()
    assert (
        conflicting(TITLES.replace("resource() AS INSTANCE OF Book", "(_, by, _)"), TITLES.replace("INSERT", "DELETE"))
        == set()
    )


def test_an_update_of_a_class_triggers_insertions_and_deletions_together():
    assert conflicting(TITLES, TITLES.replace("INSERT", "DELETE")) == {frozenset({"r1", "r2"})}
