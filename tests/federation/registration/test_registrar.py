"""Section 3.1: a replica wherever a rule is e-relevant, through growth, partitions and losses; none that is dead."""

from __future__ import annotations

from random import Random

import pytest
from tests.federation.registration.bus import Bus
from tests.rules.family import EX

from triplewire.errors import PrecedenceCycle, UnknownName, UnknownRule, UpdateRefused
from triplewire.federation.registration.records import rule_of
from triplewire.languages.rdftl import parse_rule
from triplewire.languages.rdftl.syntax import Abort, Rule
from triplewire.network.messages import Member, MemberStatus
from triplewire.rdf.terms import NamedNode
from triplewire.rules.analysis import e_relevant

PREAMBLE = "USING NAMESPACE ex http://example.org/ "


def on(event: str, *, name: str = "r", clauses: str = "") -> Rule:
    return parse_rule(f"RULE {name} {clauses} {PREAMBLE} ON INSERT {event} IF True DO INSERT ($delta, ex:name, 'x')")


ON_PERSON = on("resource() AS INSTANCE OF Person")
ON_OWNS = on("(_, ex:owns, _)", name="owns")
PERSON, OWNS = EX["Person"], EX["owns"]


def test_identifiers_are_global_and_replicas_are_where_the_rule_is_e_relevant():
    bus = Bus(4)
    bus.grow("b", PERSON)
    bus.grow("d", OWNS)
    first, second = bus.register("a", ON_PERSON), bus.register("a", ON_OWNS)
    bus.deliver()
    assert (first, second) == ("a.1", "a.2")
    assert [bus.held(name) for name in "abcd"] == [{first, second}, {first}, set(), {second}]
    assert rule_of(bus.record(first).text).id == first
    assert bus.record(first).name == "r"


def test_a_rule_whose_names_nobody_knows_is_refused():
    with pytest.raises(UnknownName):
        Bus(1).register("a", on("resource() AS INSTANCE OF Unheard"))


class TestGrowth:
    def test_a_super_peer_whose_schema_has_grown_asks_for_the_rules_that_it_needs(self):
        bus = Bus(8)
        rule = bus.register("h", ON_PERSON)
        bus.deliver()
        assert bus.held("a") == set()
        bus.grow("a", PERSON)
        assert bus.stations["a"].registrar.asking
        bus.deliver()
        assert bus.held("a") == {rule}
        assert not bus.stations["a"].registrar.asking

    @pytest.mark.parametrize("size", [1, 2, 5, 8, 11])
    def test_everybody_is_asked_once_and_answers_once(self, size: int):
        bus = Bus(size)
        bus.grow("a", PERSON)
        bus.deliver()
        assert bus.sent["RulesWanted"] == bus.sent["RulesFound"] == size - 1

    def test_rules_that_were_relevant_before_do_not_come_again(self):
        bus = Bus(2)
        bus.grow("a", PERSON)
        bus.deliver()
        bus.register("b", ON_PERSON)
        owns = bus.register("b", ON_OWNS)
        bus.deliver()
        bus.grow("a", OWNS)
        bus.deliver()
        assert [[record.id for record in found.records] for found in bus.found] == [[], [owns]]

    def test_who_does_not_answer_is_left_out_and_asked_again(self):
        bus = Bus(4)
        rules = {bus.register("b", ON_PERSON), bus.register("d", ON_PERSON)}
        bus.deliver()
        bus.apart = {"d"}
        bus.grow("a", PERSON)
        bus.run(6.0)
        assert bus.held("a") == {"b.1"}
        bus.apart = set()
        bus.run(15.0)
        assert bus.held("a") == rules


class TestUnregistering:
    def test_it_ends_every_replica(self):
        bus = Bus(5)
        for name in "bcd":
            bus.grow(name, PERSON)
        rule = bus.register("a", ON_PERSON)
        bus.deliver()
        bus.unregister("a", rule)
        bus.deliver()
        assert all(bus.held(name) == set() for name in "abcde")

    def test_a_replica_that_was_partitioned_away_ends_when_it_meets_its_super_peer(self):
        bus = Bus(3)
        bus.grow("c", PERSON)
        rule = bus.register("a", ON_PERSON)
        bus.deliver()
        bus.apart = {"c"}
        bus.unregister("a", rule)
        # Longer than anybody remembers that there was such a rule.
        bus.run(700.0)
        assert bus.held("c") == {rule}
        bus.apart = set()
        bus.run(60.0)
        assert bus.held("c") == set()

    def test_a_late_copy_does_not_come_back(self):
        bus = Bus(3)
        bus.grow("c", PERSON)
        rule = bus.register("a", ON_PERSON)
        bus.deliver()
        bus.apart = {"c"}
        bus.unregister("a", rule)
        bus.deliver()
        bus.apart = {"a"}
        # c has not heard of it and gives its replica to b, which has.
        bus.grow("b", PERSON)
        bus.deliver()
        assert bus.held("c") == {rule}
        assert bus.held("b") == set()

    def test_only_the_super_peer_of_a_rule_unregisters_it(self):
        bus = Bus(2)
        bus.grow("b", PERSON)
        rule = bus.register("a", ON_PERSON)
        bus.deliver()
        with pytest.raises(UpdateRefused, match=r"to unregister 'a.1' at a"):
            bus.unregister("b", rule)
        with pytest.raises(UnknownRule):
            bus.unregister("a", "a.7")

    def test_but_anybody_does_where_that_one_has_gone_and_with_it_the_rule_returns(self):
        bus = Bus(3)
        for name in "bc":
            bus.grow(name, PERSON)
        rule = bus.register("a", ON_PERSON)
        bus.deliver()
        bus.apart = {"a"}
        bus.members.merge([Member("a", "a", claim=0, status=MemberStatus.FAILED)])
        bus.unregister("b", rule)
        bus.deliver()
        assert (bus.held("b"), bus.held("c")) == (set(), set())
        bus.apart = set()
        bus.members.merge([Member("a", "a", claim=0, incarnation=2)])
        bus.run(700.0)
        assert bus.held("b") == bus.held("c") == {rule}


def test_a_rule_falls_asleep_and_wakes_with_the_data():
    bus = Bus(2)
    bus.grow("b", PERSON)
    rule = bus.register("a", ON_PERSON)
    bus.deliver()
    base = bus.stations["b"].registrar.base
    assert base.is_awake(rule)
    bus.shrink("b", PERSON)
    assert not base.is_awake(rule)
    assert rule in base
    bus.grow("b", PERSON)
    assert base.is_awake(rule)
    assert not bus.stations["a"].registrar.base.is_awake(rule)


def test_what_the_rule_does_at_another_super_peer_is_independent_unless_it_is_declared():
    bus = Bus(1)
    plain = bus.register("a", ON_PERSON)
    clause = bus.register("a", on("resource() AS INSTANCE OF Person", name="s", clauses="ABORT CHILDPARENT"))
    said = bus.register("a", on("resource() AS INSTANCE OF Person", name="t"), Abort.MUTUAL)
    assert [bus.record(rule).abort for rule in (plain, clause, said)] == [
        Abort.INDEPENDENT,
        Abort.CHILD_PARENT,
        Abort.MUTUAL,
    ]


def test_own_rules_must_not_precede_themselves():
    bus = Bus(1)
    bus.register("a", on("(_, ex:owns, _)", name="one", clauses="PRECEDES two"))
    with pytest.raises(PrecedenceCycle):
        bus.register("a", on("(_, ex:owns, _)", name="two", clauses="PRECEDES one"))
    assert bus.held("a") == {"a.1"}


# Whatever happens: once it is quiet, everybody holds what the whole says

EVENTS = (
    "resource() AS INSTANCE OF Person",
    "resource() AS INSTANCE OF Thing",
    "(_, ex:owns, _)",
    "(resource()/target(ex:owns), ex:knows, _)",
    "resource()",
)
NODES = (EX["Person"], EX["Thing"], EX["owns"], EX["knows"])


@pytest.mark.parametrize("seed", range(25))
def test_replicas_come_to_be_where_they_belong(seed: int):
    rng = Random(seed)
    bus = Bus(rng.randint(2, 9), seed, loss=rng.choice((0.0, 0.2)))
    names = list(bus.stations)
    live: dict[str, Rule] = {}
    for number in range(25):
        at = rng.choice(names)
        match rng.randrange(6):
            case 0 | 1:
                rule = on(rng.choice(EVENTS), name=f"n{number}")
                live[bus.register(at, rule)] = rule
            case 2 if live:
                gone = rng.choice(sorted(live))
                bus.unregister(gone.partition(".")[0], gone)
                del live[gone]
            case 3 | 4:
                flip(bus, at, rng.choice(NODES))
            case 5:
                bus.apart = set() if bus.apart else set(rng.sample(names, len(names) // 2))
        bus.run(rng.choice((0.0, 0.2, 3.0)))
    bus.apart = set()
    bus.loss = 0.0
    bus.run(5.0 * 12 * len(names))
    for name, station in bus.stations.items():
        schema = station.group.schema
        wanted = {rule for rule in live if e_relevant(rule_of(bus.record(rule).text), schema)}
        assert wanted <= bus.held(name) <= live.keys(), name
        assert {rule for rule in live if rule.startswith(f"{name}.")} <= bus.held(name)
        assert {rule for rule in bus.held(name) if station.registrar.base.is_awake(rule)} == wanted & bus.held(name)


def flip(bus: Bus, at: str, node: NamedNode) -> None:
    (bus.shrink if node in bus.stations[at].group.nodes else bus.grow)(at, node)
