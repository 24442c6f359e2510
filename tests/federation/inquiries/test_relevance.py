"""Whom a rule concerns across super-peers, each answer with its reason, and what privileges keep back of it."""

from __future__ import annotations

from tests.federation.federation import Federation, a, arc, called
from tests.federation.inquiries.asking import ask_relevance
from tests.rules.family import EX

from triplewire.federation.sites.privileges import Access, Privileges
from triplewire.wire.network_rules import RuleRelevance

ANN = "resource(http://example.org/ann)"
TEXT = "ON INSERT (_, ex:owns, _) IF $delta/target(ex:knows) DO DELETE ($delta, ex:likes, _)"


def town() -> Federation:
    """One owns at SP1, and two at SP2; they know at SP2 and like, which is to know as well, at SP3."""
    found = Federation(3)
    found.peer("SP1", "one", a("ann", "Person"), a("mug", "Thing"), arc("ann", "owns", "mug"))
    found.peer(
        "SP2", "two", a("ann", "Person"), a("mug", "Thing"), arc("ann", "owns", "mug"), arc("ann", "knows", "ann")
    )
    found.peer("SP3", "three", a("ann", "Person"), arc("ann", "likes", "ann"))
    return found


def concerned(found: RuleRelevance, part: str) -> set[tuple[str, str]]:
    return {(one.super_peer, one.peer) for one in found.concerns if one.part == part and one.is_concerned}


def reasons(found: RuleRelevance, super_peer: str, part: str) -> dict[str, str]:
    return {one.peer: one.reason for one in found.concerns if (one.super_peer, one.part) == (super_peer, part)}


def test_everybody_answers_for_its_peers_with_the_reasons():
    found = ask_relevance(town(), "SP1", TEXT)
    assert concerned(found, "event") == {("SP1", "one"), ("SP2", "two")}
    assert concerned(found, "condition") == {("SP2", "two"), ("SP3", "three")}
    assert concerned(found, "actions") == {("SP3", "three")}
    assert reasons(found, "SP2", "event") == {"two": f"the schema has all that its event needs: {EX['owns']}"}
    assert str(EX["knows"]) in reasons(found, "SP2", "condition")["two"]
    assert reasons(found, "SP1", "actions") == {
        "one": f"its actions need {EX['likes']}, which the schema does not have"
    }
    assert found.unanswered == ()


def test_the_own_group_comes_first():
    assert ask_relevance(town(), "SP2", TEXT).concerns[0].super_peer == "SP2"


def test_who_is_not_concerned_says_so_for_the_whole_group_and_names_no_peer():
    found = ask_relevance(town(), "SP1", TEXT)
    assert reasons(found, "SP3", "event") == {
        "": f"as far as it is open to others: its event needs {EX['owns']}, which the schema does not have"
    }


def test_a_group_without_peers_answers_too():
    federation = Federation(2)
    federation.peer("SP1", "one", a("ann", "Person"))
    assert set(reasons(ask_relevance(federation, "SP1", TEXT), "SP2", "event")) == {""}
    assert reasons(ask_relevance(federation, "SP2", TEXT), "SP2", "event") == {"": "no peer of the group is here"}


class TestPrivileges:
    """What a group keeps private is to others as if it were not there."""

    def test_a_class_of_which_nothing_is_open_concerns_nobody_else(self):
        town_ = town()
        town_.privileges("SP2", Privileges({EX["owns"]: Access.PRIVATE}, otherwise=Access.READ_WRITE))
        assert concerned(ask_relevance(town_, "SP1", TEXT), "event") == {("SP1", "one")}
        assert concerned(ask_relevance(town_, "SP2", TEXT), "event") == {("SP1", "one"), ("SP2", "two")}

    def test_the_answer_is_the_same_as_if_it_were_not_there(self):
        with_it, without = Federation(2), Federation(2)
        for federation in (with_it, without):
            federation.peer("SP1", "here", a("ann", "Person"))
            federation.peer("SP2", "open", a("ann", "Person"), called("ann", "x"))
        with_it.peer("SP2", "secret", a("mug", "Thing"), a("log", "Queue"))
        privileges = Privileges({EX["name"]: Access.READ_WRITE, EX["Person"]: Access.READ_WRITE})
        for text in (
            TEXT,
            "ON INSERT resource() AS INSTANCE OF Queue IF True DO DELETE $delta AS INSTANCE OF Queue",
            "ON DELETE resource(http://example.org/mug) AS INSTANCE OF Thing IF True DO DELETE $delta",
            "ON INSERT (_, ex:name, _) IF True DO DELETE resource(http://example.org/log) AS INSTANCE OF Queue",
        ):
            answers = []
            for federation in (with_it, without):
                federation.privileges("SP2", privileges)
                answers.append(ask_relevance(federation, "SP1", text))
            assert answers[0] == answers[1]
            assert "secret" not in str(answers[0])

    def test_actions_concern_only_what_may_be_written(self):
        town_ = town()
        town_.privileges("SP3", Privileges(otherwise=Access.READ_ONLY))
        found = ask_relevance(town_, "SP1", TEXT)
        assert concerned(found, "condition") == {("SP2", "two"), ("SP3", "three")}
        assert concerned(found, "actions") == set()

    def test_a_resource_that_is_open_opens_its_peer_and_no_other(self):
        federation = Federation(2)
        federation.peer("SP1", "here", a("ann", "Person"))
        federation.peer("SP2", "has it", a("ann", "Person"))
        federation.peer("SP2", "has not", a("bob", "Person"))
        federation.privileges("SP2", Privileges(resources={EX["ann"]: Access.READ_WRITE}))
        text = f"ON DELETE {ANN} AS INSTANCE OF Person IF True DO INSERT ({ANN}, ex:name, 'x')"
        found = ask_relevance(federation, "SP1", text)
        assert concerned(found, "event") == {("SP1", "here"), ("SP2", "has it")}
        assert concerned(found, "actions") == {("SP1", "here"), ("SP2", "has it")}

    def test_a_resource_that_is_closed_is_not_referenced(self):
        federation = Federation(2)
        federation.peer("SP2", "there", a("ann", "Person"), a("bob", "Person"))
        privileges = Privileges(resources={EX["ann"]: Access.PRIVATE}, otherwise=Access.READ_WRITE)
        federation.privileges("SP2", privileges)
        text = f"ON DELETE {ANN} AS INSTANCE OF Person IF True DO DELETE $delta"
        assert concerned(ask_relevance(federation, "SP1", text), "event") == set()
        assert concerned(ask_relevance(federation, "SP1", text.replace("ann", "bob")), "event") == {("SP2", "there")}
