"""Which peers and which super-peers a rule concerns, and why, before it is registered."""

from __future__ import annotations

import pytest
from tests.federation.federation import Federation, a, arc
from tests.rules.execution.town import PREAMBLE
from tests.rules.family import EX

from triplewire.errors import UnknownName
from triplewire.federation.indexes.relevance import concerned
from triplewire.federation.sites.privileges import Access, Privileges
from triplewire.languages.rdftl import parse_rule

TEXT = "ON INSERT (_, ex:owns, _) IF $delta/target(ex:knows) DO DELETE ($delta, ex:likes, _)"


def town() -> Federation:
    """Ann owns at SP1, knows at SP2 and likes, which is to know as well, at SP3."""
    found = Federation(3)
    found.peer("SP1", "one", a("ann", "Person"), a("mug", "Thing"), arc("ann", "owns", "mug"))
    found.peer("SP2", "two", a("ann", "Person"), arc("ann", "knows", "ann"))
    found.peer("SP3", "three", a("ann", "Person"), arc("ann", "likes", "ann"))
    return found


def test_every_part_is_answered_with_a_reason():
    here, others = town().super_peers["SP1"].annotate(parse_rule(PREAMBLE + TEXT))
    assert (concerned(here.event), concerned(here.condition), concerned(here.actions)) == (("one",), (), ())
    assert concerned(others.condition) == ("SP2", "SP3")
    assert concerned(others.actions) == ("SP3",)
    assert others.actions["SP2"].reason == f"its actions need {EX['likes']}, which the schema does not have"
    assert str(EX["knows"]) in others.condition["SP2"].reason


def test_what_is_closed_concerns_nobody_else():
    federation = town()
    federation.privileges("SP3", Privileges({EX["knows"]: Access.READ_ONLY}))
    _, others = federation.super_peers["SP1"].annotate(parse_rule(PREAMBLE + TEXT))
    assert concerned(others.condition) == ("SP2", "SP3")
    assert concerned(others.actions) == ()


def test_a_name_that_nobody_knows_is_refused():
    with pytest.raises(UnknownName):
        town().super_peers["SP1"].annotate(parse_rule("ON INSERT (_, unheard, _) IF True DO DELETE $delta"))
