"""Nobody knows the schema of all: each super-peer merges what the groups of the network declare."""

from __future__ import annotations

import pytest
from tests.federation.federation import Federation, a, arc, called
from tests.rules.family import EX, FAMILY

from triplewire.errors import UnknownName, UpdateRefused
from triplewire.federation.execution.effects import SchemaLeftOut
from triplewire.federation.indexes import whole_schema
from triplewire.federation.indexes.merging import merged
from triplewire.federation.indexes.whole_schema import GroupSchema, WholeSchema
from triplewire.languages.rdftl import parse_rule, parse_updates
from triplewire.rules.schema import Schema

EMPTY = Schema(())
PREFIXES = """
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix ex: <http://example.org/> .
"""
NAMED = "ex:Person rdfs:subClassOf ex:Being . ex:name rdfs:domain ex:Being ; rdfs:range xsd:string ."


def schema(text: str) -> Schema:
    return Schema.parse(PREFIXES + text)


PEOPLE = schema(NAMED)
AGES = schema(NAMED + "ex:age rdfs:domain ex:Person ; rdfs:range xsd:integer .")
SAYS = "ex:age rdfs:domain ex:Person ; rdfs:range xsd:string ."
CLASHING = schema(NAMED + SAYS)


def said(who: str, version: int, what: Schema) -> GroupSchema:
    whole = WholeSchema(who)
    message = whole.declare(merged([("peer", what)]))
    assert message is not None
    return GroupSchema(who, version, message.text)


class TestWhatOneSuperPeerKnows:
    def test_what_groups_declare_is_merged(self):
        whole = WholeSchema("a")
        whole.declare(merged([("ann", PEOPLE)]))
        whole.include(said("b", 1, AGES))
        assert whole.current == AGES
        assert whole.of("b") == AGES

    def test_a_newer_version_replaces_an_older_one_and_never_the_other_way_round(self):
        whole = WholeSchema("a")
        whole.include(said("b", 2, PEOPLE))
        whole.include(said("b", 1, AGES))
        assert whole.current == PEOPLE
        whole.include(GroupSchema("b", 3))
        assert whole.current == EMPTY

    def test_it_shrinks_when_somebody_leaves(self):
        whole = WholeSchema("a")
        whole.include(said("b", 1, PEOPLE))
        whole.include(said("c", 1, AGES))
        whole.follow(["b", "c"])
        assert whole.current == AGES
        whole.follow(["b"])
        assert whole.current == PEOPLE

    def test_others_hear_only_of_what_has_changed(self):
        whole = WholeSchema("a")
        first = whole.declare(merged([("ann", PEOPLE)]))
        assert first is not None
        assert first.version == 1
        assert whole.declare(merged([("ann", PEOPLE)])) is None
        assert whole.newer_than({"a": 1}) == []
        assert whole.newer_than({}) == [first]

    def test_own_words_come_first_and_others_that_contradict_are_left_out(self):
        whole = WholeSchema("z")
        whole.declare(merged([("ann", AGES)]))
        whole.include(said("b", 1, CLASHING))
        whole.include(said("c", 1, schema("ex:Nurse rdfs:subClassOf ex:Person .")))
        assert whole.current.is_class(EX["Nurse"])
        assert list(whole.left_out) == ["b"]
        # What it has is looked at with its own words all the same.
        assert whole.of("b") == CLASHING

    @pytest.mark.parametrize("text", ["<urn:a", "<urn:a> <http://www.w3.org/2000/01/rdf-schema#subClassOf> _:b ."])
    def test_what_cannot_be_read_is_left_out_and_not_asked_for_again(self, text: str):
        whole = WholeSchema("a")
        whole.declare(merged([("ann", PEOPLE)]))
        whole.include(GroupSchema("b", 4, text))
        assert whole.current == PEOPLE
        assert list(whole.left_out) == ["b"]
        assert whole.versions["b"] == 4
        whole.include(said("b", 5, AGES))
        assert not whole.left_out
        assert whole.current == AGES

    def test_what_is_too_long_is_left_out_on_both_ends(self, monkeypatch: pytest.MonkeyPatch):
        message = said("b", 1, AGES)
        monkeypatch.setattr(whole_schema, "MOST_CHARACTERS", 100)
        whole = WholeSchema("a")
        assert whole.declare(merged([("ann", PEOPLE)])) is None
        assert "characters" in whole.left_out["a"]
        # At home everything is as it was.
        assert whole.current == PEOPLE
        whole.include(message)
        assert "100 characters" in whole.left_out["b"]

    def test_without_any_schema_no_name_is_known(self):
        rule = parse_rule("ON INSERT (_, <urn:p>, _) IF True DO DELETE $delta")
        with pytest.raises(UpdateRefused):
            WholeSchema("a").resolved(rule)

    def test_the_names_of_an_update_are_those_of_its_peer(self):
        """Elsewhere the same word may mean something else as well."""
        whole = WholeSchema("a")
        whole.declare(merged([("ann", PEOPLE)]))
        whole.include(said("b", 1, schema("<urn:name> rdfs:domain ex:Being ; rdfs:range xsd:string .")))
        (update,) = parse_updates("INSERT (resource(urn:x), name, 'x');;")
        assert EX["name"].value in str(whole.resolved_update(update, PEOPLE))
        with pytest.raises(UnknownName):
            whole.resolved_update(update, EMPTY)


class TestInTheNetwork:
    def test_a_rule_is_written_in_the_words_of_another_group(self):
        federation = Federation(3, common=EMPTY)
        federation.peer("SP1", "one", a("ann", "Person"), schema=PEOPLE)
        text = "ON INSERT (_, ex:age, _) IF True DO INSERT ($delta, ex:name, 'aged')"
        with pytest.raises(UnknownName):
            federation.rule("SP1", text)
        federation.peer("SP2", "two", a("bob", "Person"), schema=AGES)
        federation.rule("SP1", text)
        federation.submit("two", "INSERT (resource(ex:bob), ex:age, '7'^^xsd:integer);;")
        federation.run()
        assert called("bob", "aged") in federation.merged

    def test_who_joins_late_hears_of_it_by_an_exchange(self):
        federation = Federation(2, common=EMPTY)
        federation.holds = lambda step: isinstance(step[2], GroupSchema)
        federation.peer("SP1", "one", a("ann", "Person"), schema=PEOPLE)
        federation.held.clear()
        federation.holds = lambda step: False
        assert federation.super_peers["SP2"].whole.current == EMPTY
        federation.wait(20)
        assert federation.super_peers["SP2"].whole.current == PEOPLE

    def test_rules_come_and_wake_when_a_peer_declares_more(self):
        federation = Federation(2, common=EMPTY)
        federation.peer("SP1", "one", a("ann", "Person"), schema=AGES)
        federation.peer("SP2", "two", a("bob", "Person"), schema=PEOPLE)
        rule = federation.rule("SP1", "ON INSERT (_, ex:age, _) IF True DO INSERT ($delta, ex:name, 'aged')")
        federation.submit("two", "INSERT (resource(ex:bob), ex:age, '7'^^xsd:integer);;")
        federation.run()
        assert [unit.reason for unit in federation.units()] != [""]
        federation.declare("two", AGES)
        federation.submit("two", "INSERT (resource(ex:bob), ex:age, '7'^^xsd:integer);;")
        federation.run()
        assert rule in federation.super_peers["SP2"].registrar.base
        assert called("bob", "aged") in federation.merged

    def test_rules_sleep_when_a_peer_declares_less(self):
        federation = Federation(1, common=EMPTY)
        federation.peer("SP1", "one", a("ann", "Nurse"), schema=FAMILY)
        rule = federation.rule(
            "SP1", "ON INSERT resource() AS INSTANCE OF Being IF True DO INSERT ($delta, ex:name, 'x')"
        )
        base = federation.super_peers["SP1"].registrar.base
        assert base.is_awake(rule)
        # A nurse is no being any more.
        federation.declare("one", schema("ex:Nurse a rdfs:Class ."))
        assert not base.is_awake(rule)
        assert federation.super_peers["SP1"].group["one"].nodes == {EX["Nurse"]}
        federation.declare("one", FAMILY)
        assert base.is_awake(rule)

    def test_a_schema_that_does_not_fit_is_told_once_and_breaks_nothing(self):
        federation = Federation(2, common=EMPTY)
        federation.peer("SP1", "one", a("ann", "Person"), schema=AGES)
        federation.peer("SP2", "two", a("bob", "Person"), called("bob", "Bob"), schema=CLASHING)
        left_out = [one for one in federation.happened if isinstance(one, SchemaLeftOut)]
        assert sorted(one.whose for one in left_out) == ["SP1", "SP2"]
        assert all("no value of" in one.reason for one in left_out)
        # What both can do they still do together.
        federation.rule("SP1", "ON INSERT (_, ex:name, 'Ann') IF True DO DELETE (_, ex:name, 'Bob')")
        federation.submit("one", "INSERT (resource(ex:ann), ex:name, 'Ann');;")
        federation.run()
        assert called("bob", "Bob") not in federation.merged
        federation.wait(20)
        assert [one for one in federation.happened if isinstance(one, SchemaLeftOut)] == left_out
        federation.declare("two", PEOPLE)
        assert all(not one.whole.left_out for one in federation.super_peers.values())

    def test_two_peers_of_one_group_may_contradict_each_other(self):
        federation = Federation(1, common=EMPTY)
        federation.peer("SP1", "one", a("ann", "Person"), schema=AGES)
        federation.peer("SP1", "two", a("bob", "Person"), schema=CLASHING)
        assert [one.whose for one in federation.happened if isinstance(one, SchemaLeftOut)] == ["two"]
        federation.rule("SP1", "ON INSERT (_, ex:name, _) IF True DO INSERT (resource(ex:bob), ex:age, 'old')")
        federation.submit("one", "INSERT (resource(ex:ann), ex:name, 'Ann');;")
        federation.run()
        assert [unit.peer for unit in federation.units()] == ["one", "two"]

    def test_a_peer_that_is_not_here_declares_nothing(self):
        federation = Federation(1, common=EMPTY)
        assert federation.super_peers["SP1"].declare(0.0, "nobody", AGES) == []

    def test_a_peer_may_return_with_another_schema(self):
        federation = Federation(2, common=EMPTY)
        federation.peer("SP1", "one", a("ann", "Person"), schema=PEOPLE)
        federation.sites["one"].declare(AGES)
        federation.come_back("one")
        federation.run()
        assert federation.super_peers["SP2"].whole.current == AGES


def test_what_is_at_another_site_need_not_be_described_to_conform_again():
    federation = Federation(2)
    federation.peer("SP1", "one", a("ann", "Person"))
    federation.peer("SP2", "two", a("bob", "Person"))
    federation.rule(
        "SP1", "ON INSERT resource() AS INSTANCE OF Worker IF True DO INSERT (resource(ex:bob), ex:knows, $delta)"
    )
    federation.submit("one", "INSERT resource(ex:ann) AS INSTANCE OF Worker;;")
    federation.run()
    assert arc("bob", "knows", "ann") in federation.merged
    change = federation.sites["two"].declare(FAMILY)
    assert not change
