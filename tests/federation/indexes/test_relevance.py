"""Section 3.1: each part of a rule annotated with the peers that it concerns, and the reasons."""

from __future__ import annotations

import pytest
from tests.rules.selene import DC, EXAMPLE_3, EXT1, FIGURE_1, FIGURE_2, LOS, MERGED, SELENE, USERS

from triplewire.federation.indexes.group_index import GroupIndex, PeerView
from triplewire.federation.indexes.local_index import IndexChange
from triplewire.federation.indexes.relevance import a_concerns, annotate, concerned, e_concerns
from triplewire.languages.rdftl import parse_rule
from triplewire.languages.rdftl.syntax import Component, Rule
from triplewire.rdf.terms import NamedNode
from triplewire.rules.name_resolution import resolved
from triplewire.rules.vocabulary import MEMBERSHIP

NAMESPACES = """USING NAMESPACE dc http://purl.org/dc/elements/1.1/
USING NAMESPACE los http://www.dcs.bbk.ac.uk/LOs/
"""
ALL_OF_2 = frozenset(FIGURE_2.classes | FIGURE_2.properties) | {MEMBERSHIP}
BOOK, USER = LOS["BK187"], USERS["128"]
RULE_OF_EXAMPLE_3 = resolved(EXAMPLE_3, MERGED)


def rule(text: str) -> Rule:
    return resolved(parse_rule(NAMESPACES + text, id="r"), MERGED)


def view(*nodes: NamedNode, about: NamedNode | None = None) -> PeerView:
    return PeerView(FIGURE_1, frozenset(nodes), [(SELENE["LO"], about)] if about else [])


class TestExample3:
    """The library has learning objects, the people's peer has user 128."""

    def group(self) -> GroupIndex:
        index = GroupIndex()
        index.join("library", PeerView(FIGURE_1, frozenset(FIGURE_1.classes | FIGURE_1.properties)))
        index.join("people", PeerView(FIGURE_2, ALL_OF_2, [(SELENE["User"], USER)]))
        index.join("others", PeerView(FIGURE_2, ALL_OF_2, [(SELENE["User"], USERS["7"])]))
        index.join("nobody", PeerView(FIGURE_2))
        return index

    def test_who_is_concerned(self):
        annotations = annotate(RULE_OF_EXAMPLE_3, self.group(), MERGED)
        assert concerned(annotations.event) == ("library", "others", "people")
        assert concerned(annotations.condition) == ("library", "others", "people")
        assert concerned(annotations.actions) == ("people",)
        assert annotations.is_awake

    def test_why(self):
        annotations = annotate(RULE_OF_EXAMPLE_3, self.group(), MERGED)
        assert annotations.event["library"].reason == (f"the schema has all that its event needs: {SELENE['LO']}")
        assert str(DC["subject"]) in annotations.condition["library"].reason
        assert str(EXT1["interests"]) in annotations.condition["people"].reason
        assert str(MEMBERSHIP) in annotations.actions["library"].reason
        assert annotations.actions["others"].reason == f"the peer does not reference {USER}"
        assert str(SELENE["LO"]) in annotations.event["nobody"].reason

    def test_a_condition_that_always_holds_concerns_nobody(self):
        always = rule("ON INSERT resource() AS INSTANCE OF LO IF True DO DELETE $delta")
        found = annotate(always, self.group(), MERGED).condition["library"]
        assert (found.holds, found.reason) == (False, "its condition asks for no data")

    def test_a_rule_without_data_for_its_event_sleeps(self):
        index = GroupIndex()
        index.join("nobody", PeerView(FIGURE_1))
        assert not annotate(RULE_OF_EXAMPLE_3, index, MERGED).is_awake
        index.follow("nobody", IndexChange(grown=frozenset({SELENE["LO"]})))
        assert annotate(RULE_OF_EXAMPLE_3, index, MERGED).is_awake


def test_an_event_on_one_resource_concerns_only_those_that_reference_it():
    on_book = rule("ON INSERT (resource(http://www.dcs.bbk.ac.uk/LOs/BK187), dc:type, _) IF True DO DELETE $delta")
    assert e_concerns(on_book, view(DC["type"], about=BOOK))
    assert e_concerns(on_book, view(DC["type"], about=LOS["X"])).reason == f"the peer does not reference {BOOK}"
    assert not e_concerns(on_book, view(about=BOOK))


def test_a_resource_behind_a_variable_counts():
    on_book = rule(
        "LET $b := resource(http://www.dcs.bbk.ac.uk/LOs/BK187) ON INSERT ($b, dc:type, _) IF True DO DELETE $b"
    )
    assert not e_concerns(on_book, view(DC["type"]))
    assert e_concerns(on_book, view(DC["type"], about=BOOK))


@pytest.mark.parametrize(
    ("actions", "without_data"),
    [
        ("INSERT resource(http://www.dcs.bbk.ac.uk/LOs/NEW) AS INSTANCE OF LO", True),
        ("INSERT (_, dc:type, 'Book')", True),
        ("DELETE (_, dc:type, 'Book')", False),
        ("UPDATE (_, dc:type, 'Book' -> 'Text')", False),
        ("DELETE resource()[target(dc:type) = 'Book'] AS INSTANCE OF LO", False),
        ("INSERT (resource(http://www.dcs.bbk.ac.uk/LOs/BK187), dc:type, 'Book')", False),
    ],
)
def test_the_first_instance_may_be_inserted_but_nothing_deleted_that_is_not_there(actions: str, without_data: bool):
    acting = rule(f"ON INSERT resource() AS INSTANCE OF LO IF True DO {actions}")
    assert bool(a_concerns(acting, view(), MERGED)) is without_data
    assert a_concerns(acting, view(SELENE["LO"], DC["type"], about=BOOK), MERGED)


def test_every_action_has_to_be_possible_at_the_same_peer():
    both = rule("ON INSERT resource() AS INSTANCE OF LO IF True DO INSERT (_, dc:type, 'a'); DELETE (_, dc:title, 'b')")
    assert str(DC["title"]) in a_concerns(both, view(DC["type"]), MERGED).reason
    assert a_concerns(both, view(DC["type"], DC["title"]), MERGED)


def test_what_the_actions_insert_themselves_need_not_be_there():
    new = "resource(http://www.dcs.bbk.ac.uk/LOs/NEW)"
    on_lo = "ON INSERT resource() AS INSTANCE OF LO IF True"
    both = rule(f"{on_lo} DO INSERT {new} AS INSTANCE OF LO; INSERT ({new}, dc:type, 'a')")
    assert a_concerns(both, view(), MERGED)


class TestInstances:
    """An instance of the actions: `$delta` is known, and the resource index says more."""

    def test_the_source_of_an_arc_has_to_be_there(self):
        acting = rule("ON INSERT resource() AS INSTANCE OF LO IF True DO INSERT ($delta, dc:type, 'new')")
        assert a_concerns(acting, view(SELENE["LO"]), MERGED)
        assert not a_concerns(acting, view(SELENE["LO"]), MERGED, {Component.WHOLE: BOOK})
        assert a_concerns(acting, view(SELENE["LO"], about=BOOK), MERGED, {Component.WHOLE: BOOK})

    def test_a_peer_that_only_has_an_arc_to_it_can_insert_none_from_it(self):
        acting = rule("ON INSERT resource() AS INSTANCE OF LO IF True DO INSERT ($delta, dc:type, 'new')")
        refers = PeerView(FIGURE_1, frozenset({SELENE["LO"]}), [(MEMBERSHIP, BOOK)])
        verdict = a_concerns(acting, refers, MERGED, {Component.WHOLE: BOOK})
        assert verdict.reason == f"the peer does not describe {BOOK}"
        removing = rule("ON DELETE resource() AS INSTANCE OF LO IF True DO DELETE (_, dc:type, $delta)")
        refers = PeerView(FIGURE_1, frozenset({SELENE["LO"], DC["type"]}), [(MEMBERSHIP, BOOK)])
        assert a_concerns(removing, refers, MERGED, {Component.WHOLE: BOOK})

    def test_the_target_of_an_inserted_arc_may_be_another_site_s(self):
        people = PeerView(FIGURE_2, ALL_OF_2, [(SELENE["User"], USER)])
        assert a_concerns(RULE_OF_EXAMPLE_3, people, MERGED, {Component.WHOLE: BOOK})

    def test_a_deleted_resource_has_to_be_there(self):
        acting = rule("ON INSERT resource() AS INSTANCE OF LO IF True DO DELETE $delta AS INSTANCE OF LO")
        assert not a_concerns(acting, view(SELENE["LO"]), MERGED, {Component.WHOLE: BOOK})
        assert a_concerns(acting, view(SELENE["LO"], about=BOOK), MERGED, {Component.WHOLE: BOOK})
