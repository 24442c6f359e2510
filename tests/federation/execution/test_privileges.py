"""Section 3: what others may write is looked at before anything is scheduled, and again triple by triple."""

from __future__ import annotations

import pytest
from tests.federation.federation import Federation, a, arc, called
from tests.rules.family import EX

from triplewire.federation.execution.units import Status
from triplewire.federation.sites.privileges import Access, Privileges

ANN, NAME, PERSON = EX["ann"], EX["name"], EX["Person"]
READ_WRITE, READ_ONLY, PRIVATE = Access.READ_WRITE, Access.READ_ONLY, Access.PRIVATE


def other_group(privileges: Privileges, actions: str = "INSERT ($delta, ex:name, 'x')") -> tuple[Federation, str]:
    """A rule is triggered in one group and acts in another one."""
    town = Federation(2)
    town.peer("SP1", "here", a("ann", "Person"), a("bob", "Person"))
    town.peer("SP2", "there", a("ann", "Person"), a("bob", "Person"), arc("ann", "knows", "bob"))
    town.privileges("SP2", privileges)
    rule = town.rule("SP1", f"ON INSERT resource() AS INSTANCE OF Nurse IF True DO {actions}")
    town.submit("here", "INSERT resource(http://example.org/ann) AS INSTANCE OF Nurse;;")
    town.run()
    return town, rule


def peers_of(town: Federation, rule: str) -> dict[str, Status]:
    return {unit.peer: unit.status for unit in town.units(rule)}


def test_what_is_open_is_written():
    town, rule = other_group(Privileges({NAME: READ_WRITE}))
    assert peers_of(town, rule) == {"here": Status.COMMITTED, "there": Status.COMMITTED}


@pytest.mark.parametrize("access", [PRIVATE, READ_ONLY])
def test_what_is_not_open_is_not_even_sent(access: Access):
    town, rule = other_group(Privileges({NAME: access}, otherwise=READ_WRITE))
    assert peers_of(town, rule) == {"here": Status.COMMITTED}
    assert town.sent["ActionInstance"] == 0


def test_a_resource_that_is_not_open_is_refused_before_it_is_scheduled():
    town, rule = other_group(Privileges({}, {ANN: READ_ONLY}, otherwise=READ_WRITE))
    assert peers_of(town, rule) == {"here": Status.COMMITTED}
    (reason,) = town.not_scheduled
    assert reason == f"there does not let others do that: the peer does not describe {ANN}"


def test_what_only_the_data_shows_is_refused_when_it_is_executed():
    town, rule = other_group(
        Privileges({PERSON: READ_ONLY}, {EX["cat"]: READ_WRITE}, otherwise=READ_WRITE), "INSERT (_, ex:name, 'x')"
    )
    assert peers_of(town, rule) == {"here": Status.COMMITTED, "there": Status.ABORTED}
    (refused,) = [unit for unit in town.units(rule) if unit.peer == "there"]
    assert "the right of other super-peers to write" in refused.reason
    assert called("bob", "x") not in set(town.sites["there"].repository)


def test_deleting_a_resource_needs_the_right_to_all_its_arcs():
    town, rule = other_group(
        Privileges({EX["knows"]: READ_ONLY}, {EX["cat"]: READ_WRITE}, otherwise=READ_WRITE),
        "DELETE resource(http://example.org/ann)",
    )
    assert peers_of(town, rule)["there"] is Status.ABORTED
    assert arc("ann", "knows", "bob") in set(town.sites["there"].repository)


def test_inside_a_group_nobody_asks():
    town = Federation(1)
    town.privileges("SP1", Privileges())
    town.peer("SP1", "here", a("ann", "Person"))
    town.peer("SP1", "there", a("ann", "Person"))
    rule = town.rule("SP1", "ON INSERT resource() AS INSTANCE OF Nurse IF True DO INSERT ($delta, ex:name, 'x')")
    town.submit("here", "INSERT resource(http://example.org/ann) AS INSTANCE OF Nurse;;")
    town.run()
    assert peers_of(town, rule) == {"here": Status.COMMITTED, "there": Status.COMMITTED}
