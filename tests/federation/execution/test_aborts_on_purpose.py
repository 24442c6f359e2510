"""A rule that aborts on purpose fails where it acts; its abort dependency says who else aborts."""

from __future__ import annotations

import pytest
from tests.federation.federation import Federation, a, arc, called
from tests.rules.family import EX

from triplewire.federation.execution.units import Status
from triplewire.languages.rdftl.syntax import Abort

COMMITTED, ABORTED = Status.COMMITTED, Status.ABORTED
ANN, MUG = "resource(http://example.org/ann)", "resource(http://example.org/mug)"
OWNS = f"INSERT ({ANN}, ex:owns, {MUG});;"
NAMED = f"INSERT ({ANN}, ex:name, 'x');;"


def shop(size: int = 2) -> Federation:
    """Ann and the mug are at the shop; what is known of Ann's name is at the office, if there is one."""
    town = Federation(size)
    town.peer("SP1", "shop", a("ann", "Person"), a("mug", "Thing"))
    if size == 2:
        town.peer("SP2", "office", a("ann", "Person"), called("ann", "Ann"))
    return town


def rule(town: Federation, clauses: str, text: str) -> str:
    before = town.preamble
    town.preamble = f"{clauses} {before}"
    found = town.rule("SP2" if "SP2" in town.super_peers else "SP1", text)
    town.preamble = before
    return found


GUARD = f"ON INSERT (_, ex:owns, _) IF {ANN}/target(ex:name) DO ABORT 'enough'"
TAKES_PARENT = {"MUTUAL": True, "CHILDPARENT": True, "PARENTCHILD": False, "INDEPENDENT": False}


@pytest.mark.parametrize("dependency", list(TAKES_PARENT))
@pytest.mark.parametrize("coupling", ["IMMEDIATE", "DEFERRED"])
def test_a_rule_that_only_aborts_acts_where_its_cause_is(dependency: str, coupling: str):
    """Its condition asks the office, and no peer has anything to do."""
    town = shop()
    guard = rule(town, f"COUPLING {coupling} ABORT {dependency}", GUARD)
    top = town.unit(town.submit("shop", OWNS))
    town.run()
    (unit,) = town.units(guard)
    assert (unit.peer, unit.status, unit.parent) == ("shop", ABORTED, top.id)
    assert "enough" in unit.reason
    assert top.status is (ABORTED if TAKES_PARENT[dependency] else COMMITTED)
    assert (arc("ann", "owns", "mug") in town.merged) is not TAKES_PARENT[dependency]


def test_it_takes_along_what_came_of_the_transaction_at_other_sites():
    town = shop()
    text = "ON INSERT (_, ex:owns, _) IF True DO INSERT ($delta, ex:age, '7'^^xsd:int)"
    told = town.rule("SP2", text, name="told", abort=Abort.MUTUAL)
    rule(town, "COUPLING DEFERRED", GUARD)
    town.submit("shop", OWNS)
    town.run()
    assert set(town.status(told)) == {ABORTED}
    assert not {triple for triple in town.merged if triple.predicate == EX["age"]}


def test_a_condition_that_does_not_hold_aborts_nothing():
    town = shop(1)
    guard = rule(town, "", GUARD)
    town.submit("shop", OWNS)
    town.run()
    assert town.units(guard) == []
    assert arc("ann", "owns", "mug") in town.merged


@pytest.mark.parametrize("dependency", list(TAKES_PARENT))
def test_a_rule_that_acts_elsewhere_and_aborts_is_undone_there_and_aborts_here(dependency: str):
    town = shop()
    acts = rule(
        town,
        f"ABORT {dependency}",
        "ON INSERT (_, ex:owns, _) IF True DO DELETE (_, ex:name, 'Ann'); ABORT 'enough'",
    )
    top = town.unit(town.submit("shop", OWNS))
    town.run()
    assert sorted(unit.peer for unit in town.units(acts)) == ["office", "shop"]
    assert town.status(acts) == [ABORTED, ABORTED]
    assert called("ann", "Ann") in town.merged
    assert top.status is (ABORTED if TAKES_PARENT[dependency] else COMMITTED)


def test_a_copy_in_the_own_group_says_so_itself():
    town = shop(1)
    acts = rule(town, "", "ON INSERT (_, ex:owns, _) IF True DO INSERT ($delta, ex:name, 'x'); ABORT 'enough'")
    town.submit("shop", OWNS)
    town.run()
    assert town.status(acts) == [ABORTED]
    assert not {called("ann", "x"), arc("ann", "owns", "mug")} & town.merged


def test_what_comes_later_in_the_transaction_is_not_executed_any_more():
    town = shop(1)
    rule(town, "", "ON INSERT (_, ex:owns, _) IF True DO ABORT 'enough'")
    town.submit("shop", f"TRANSACTION t {OWNS} {NAMED}")
    town.submit("shop", NAMED.replace("'x'", "'y'"))
    town.run()
    assert called("ann", "x") not in town.merged
    assert called("ann", "y") in town.merged
