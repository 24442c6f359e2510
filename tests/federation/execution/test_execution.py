"""Section 3.2: a change at one site, a condition over others, actions at others still."""

from __future__ import annotations

from tests.federation.federation import Federation, a, arc, called
from tests.rules.family import EX, FAMILY
from tests.rules.selene import DC, EXAMPLE_3, EXT1, EXT3, LOS, MERGED, NAMESPACES, SELENE, USERS

from triplewire.federation.execution.units import Status
from triplewire.federation.indexes.group_index import induced
from triplewire.federation.registration.messages import Correction, RulesFound
from triplewire.languages.rdftl import format_rule
from triplewire.rdf.terms import BlankNode, Literal, NamedNode, Triple
from triplewire.rules.vocabulary import TYPE, member, number_of

LOG = "(resource(http://example.org/log), seq++, {})"
ANN_OWNS = "INSERT (resource(http://example.org/ann), ex:owns, resource(http://example.org/mug));;"


def ann(*more: Triple) -> tuple[Triple, ...]:
    return (a("ann", "Person"), a("mug", "Thing"), *more)


def test_a_rule_of_one_super_peer_triggered_at_a_second_evaluated_at_a_third_and_executed_at_a_fourth():
    town = Federation(4)
    town.peer("SP2", "shop", *ann(), arc("ann", "owns", "cup"), a("cup", "Thing"))
    town.peer("SP3", "club", a("ann", "Person"), arc("ann", "team", "team"), a("team", "People"))
    town.peer("SP4", "office", a("ann", "Person"))
    rule = town.rule("SP1", "ON INSERT (_, ex:owns, _) IF $delta/target(ex:team) DO INSERT ($delta, ex:name, 'owner')")
    town.submit("shop", ANN_OWNS)
    town.run()
    # All three have heard of ann, so each has its own copy of the actions.
    assert [(unit.peer, unit.status) for unit in town.units(rule)] == [
        ("shop", Status.COMMITTED),
        ("club", Status.COMMITTED),
        ("office", Status.COMMITTED),
    ]
    assert called("ann", "owner") in set(town.sites["office"].repository)


def test_without_what_the_third_has_the_condition_does_not_hold():
    town = Federation(4)
    town.peer("SP2", "shop", *ann(), arc("ann", "owns", "cup"), a("cup", "Thing"))
    town.peer("SP4", "office", a("ann", "Person"))
    rule = town.rule("SP1", "ON INSERT (_, ex:owns, _) IF $delta/target(ex:team) DO INSERT ($delta, ex:name, 'owner')")
    town.submit("shop", ANN_OWNS)
    town.run()
    assert town.units(rule) == []


def test_example_3_over_three_groups():
    """The learning object comes in one group, its subject is known in another one, and user 128 is in the third."""
    network = Federation(3, MERGED, preamble=NAMESPACES)
    book, user, messages = LOS["BK187"], USERS["128"], USERS["128/messages"]
    new, interests, logic = USERS["128/new"], USERS["128/interests"], USERS["128/logic"]
    network.peer("SP1", "library", Triple(LOS["old"], TYPE, SELENE["LO"]))
    network.peer("SP2", "catalogue", Triple(book, TYPE, SELENE["LO"]), Triple(book, DC["subject"], Literal("Logic")))
    network.peer(
        "SP3",
        "people",
        Triple(user, TYPE, SELENE["User"]),
        Triple(messages, TYPE, SELENE["Messages"]),
        Triple(new, TYPE, SELENE["new_LOs"]),
        Triple(interests, TYPE, SELENE["Interests"]),
        Triple(logic, TYPE, SELENE["Interest"]),
        Triple(user, EXT3["messages"], messages),
        Triple(messages, EXT3["new_LOs"], new),
        Triple(user, EXT1["interests"], interests),
        Triple(interests, member(1), logic),
        Triple(logic, EXT1["interest_typename"], Literal("Logic")),
    )
    network.preamble = ""
    rule = network.rule("SP3", format_rule(EXAMPLE_3).partition("\n")[2])
    network.submit("library", f"INSERT resource({book}) AS INSTANCE OF LO;;".replace("<", "").replace(">", ""))
    network.run()
    assert [unit.peer for unit in network.units(rule)] == ["people"]
    # The list of one group holds what another one describes.
    assert Triple(new, member(1), book) in set(network.sites["people"].repository)
    assert not set(network.sites["people"].repository.match(book, TYPE, None))


def test_events_are_those_of_one_peer():
    """No distributed event detection (section 3): a path in an event is followed where the change was."""
    town = Federation(2)
    town.peer("SP1", "one", *ann(arc("ann", "owns", "mug")))
    town.peer("SP2", "other", a("ann", "Person"), a("bob", "Person"), arc("bob", "knows", "ann"))
    rule = town.rule(
        "SP1", "ON INSERT (resource()/target(ex:knows), ex:owns, _) IF True DO INSERT ($delta, ex:name, 'known')"
    )
    town.submit("one", "INSERT (resource(http://example.org/ann), ex:owns, resource(http://example.org/ann));;")
    town.run()
    assert town.units(rule) == []


def test_the_first_data_of_its_kind_waits_for_the_rules_that_it_needs():
    town = Federation(3)
    town.peer("SP2", "shop", *ann())
    rule = town.rule("SP3", "ON INSERT (_, ex:owns, _) IF True DO INSERT ($delta, ex:name, 'owner')")
    assert rule not in town.super_peers["SP2"].registrar.base
    town.holds = lambda step: isinstance(step[2], RulesFound)
    town.submit("shop", ANN_OWNS)
    town.run()
    assert town.units(rule) == []
    town.release()
    assert town.status(rule) == [Status.COMMITTED]
    assert called("ann", "owner") in town.merged


def test_a_network_that_does_not_answer_keeps_nobody_waiting_for_ever():
    town = Federation(3)
    town.peer("SP2", "shop", *ann())
    rule = town.rule("SP3", "ON INSERT (_, ex:owns, _) IF True DO INSERT ($delta, ex:name, 'owner')")
    town.holds = lambda step: isinstance(step[2], RulesFound | Correction)
    unit = town.submit("shop", ANN_OWNS)
    town.run()
    town.wait(6)
    assert town.unit(unit).status is Status.COMMITTED
    assert town.units(rule) == []


def test_the_deletion_of_the_last_of_its_kind_triggers():
    town = Federation(2)
    town.peer("SP1", "shop", *ann(arc("ann", "owns", "mug")))
    town.peer("SP2", "office", a("ann", "Person"))
    rule = town.rule("SP2", "ON DELETE (_, ex:owns, _) IF True DO INSERT ($delta, ex:name, 'poor')")
    town.submit("shop", "DELETE (_, ex:owns, _);;")
    town.run()
    assert town.status(rule) == [Status.COMMITTED] * 2


def test_a_blank_node_is_at_other_sites_a_name_that_says_whose_it_is():
    town = Federation(2)
    blank = BlankNode("b")
    town.peer("SP1", "shop", a("mug", "Thing"), Triple(blank, TYPE, EX["Person"]), Triple(blank, EX["owns"], EX["mug"]))
    town.peer("SP2", "office", a("bob", "Person"))
    rule = town.rule(
        "SP2",
        "ON DELETE (_, ex:owns, _) IF $delta[source(ex:knows) or target(ex:owns) or not target(ex:owns)] "
        "DO INSERT (resource(http://example.org/bob), ex:knows, $delta)",
    )
    town.submit("shop", "DELETE (_, ex:owns, _);;")
    town.run()
    assert [unit.peer for unit in town.units(rule)] == ["office"]
    named = Triple(EX["bob"], EX["knows"], NamedNode("urn:triplewire:blank:shop:b"))
    assert named in set(town.sites["office"].repository)


def test_a_blank_node_is_itself_again_at_home():
    town = Federation(2)
    blank = BlankNode("b")
    town.peer("SP1", "shop", a("mug", "Thing"), Triple(blank, TYPE, EX["Person"]), a("log", "Queue"))
    rule = town.rule(
        "SP2",
        f"ON INSERT (_, ex:owns, _) IF $delta/target(ex:owns) DO INSERT {LOG.format('$delta')}",
    )
    town.submit("shop", "INSERT (_, ex:owns, resource(http://example.org/mug));;")
    town.run()
    assert town.status(rule) == [Status.COMMITTED]
    assert Triple(EX["log"], member(1), blank) in set(town.sites["shop"].repository)


def order_of(coupling: str) -> list[str]:
    """A transaction whose first update triggers a rule that writes into a log, as does what comes after it."""
    town = Federation(1)
    site = town.peer("SP1", "log", *ann(a("log", "Queue"), a("one", "Thing"), a("bob", "Person"), a("cat", "Person")))
    preamble = town.preamble
    town.preamble = f"COUPLING {coupling} {preamble}"
    rule = town.rule("SP1", f"ON INSERT (_, ex:owns, _) IF True DO INSERT {LOG.format('$delta')}")
    town.preamble = preamble
    bob, cat = (LOG.format(f"resource(http://example.org/{name})") for name in ("bob", "cat"))
    town.submit("log", f"TRANSACTION t {ANN_OWNS} INSERT {bob};;")
    town.submit("log", f"INSERT {cat};;")
    town.run()
    assert town.status(rule) == [Status.COMMITTED]
    elements = ((number_of(t.predicate), t.object) for t in site.repository.match(EX["log"], None, None))
    return [str(node).rpartition("/")[2][:-1] for number, node in sorted((n, o) for n, o in elements if n)]


def test_immediate_actions_come_before_the_rest_deferred_ones_after_it_detached_ones_on_their_own():
    assert order_of("IMMEDIATE") == ["ann", "bob", "cat"]
    assert order_of("DEFERRED") == ["bob", "ann", "cat"]
    assert order_of("DETACHED") == ["bob", "cat", "ann"]


def test_only_a_detached_rule_begins_a_transaction_of_its_own():
    for coupling, own in (("IMMEDIATE", False), ("DEFERRED", False), ("DETACHED", True)):
        town = Federation(2)
        town.peer("SP1", "shop", *ann())
        town.peer("SP2", "office", a("ann", "Person"))
        town.preamble = f"COUPLING {coupling} {town.preamble}"
        rule = town.rule("SP1", "ON INSERT (_, ex:owns, _) IF True DO INSERT ($delta, ex:name, 'owner')")
        town.preamble = town.preamble.partition(" ")[2].partition(" ")[2]
        top = town.submit("shop", ANN_OWNS)
        town.run()
        assert {unit.root == top for unit in town.units(rule)} == {not own}


def test_a_transaction_waits_for_what_its_subtransactions_have_deferred():
    town = Federation(1)
    town.peer("SP1", "shop", *ann())
    town.rule("SP1", "ON INSERT (_, ex:owns, _) IF True DO INSERT ($delta, ex:name, 'owner')")
    preamble, town.preamble = town.preamble, f"COUPLING DEFERRED {town.preamble}"
    deferred = town.rule("SP1", "ON INSERT (_, ex:name, _) IF True DO INSERT ($delta, ex:age, 7)", name="s")
    town.preamble = preamble
    top = town.submit("shop", ANN_OWNS)
    town.run()
    assert town.status(deferred) == [Status.COMMITTED]
    assert town.unit(top).status is Status.COMMITTED


def test_rules_that_fire_together_act_in_the_order_of_the_local_scheme():
    town = Federation(2)
    site = town.peer("SP1", "log", *ann(a("log", "Queue"), a("bob", "Person"), a("cat", "Person")))
    for number, (at, name) in enumerate((("SP2", "bob"), ("SP1", "cat"))):
        town.now = float(number)
        logged = LOG.format(f"resource(http://example.org/{name})")
        town.rule(at, f"ON INSERT (_, ex:owns, _) IF True DO INSERT {logged}", name=f"n{number}")
    town.submit("log", ANN_OWNS)
    town.run()
    assert [t.object for t in site.repository.match(EX["log"], member(1), None)] == [EX["bob"]]


def test_a_cascade_without_end_is_stopped_and_all_that_caused_it_undone():
    town = Federation(2, depth=6)
    town.peer("SP1", "one", a("ann", "Person"))
    town.peer("SP2", "two", a("ann", "Person"))
    before = town.merged
    for name, word, other in (("up", "ping", "pong"), ("down", "pong", "ping")):
        town.rule(
            "SP1",
            f"ON INSERT (_, ex:name, '{word}') IF True "
            f"DO DELETE (_, ex:name, '{word}'); INSERT (_, ex:name, '{other}')",
            name=name,
        )
    unit = town.submit("one", "INSERT (resource(http://example.org/ann), ex:name, 'ping');;")
    town.run()
    assert town.unit(unit).status is Status.ABORTED
    assert "more than 6 deep" in town.unit(unit).reason
    assert town.merged == before


def test_instances_go_only_to_those_that_they_concern():
    """The paper sends each instance to everybody; who offers nothing for it here is not sent any."""
    town = Federation(20)
    town.peer("SP1", "shop", *ann())
    for number in range(2, 21):
        people = [a("ann", "Person")] if number in (5, 17) else []
        part = None if people else induced(FAMILY, frozenset({EX["Thing"]}))
        town.peer(f"SP{number}", f"p{number}", *people, schema=part)
    rule = town.rule("SP1", "ON INSERT (_, ex:owns, _) IF True DO INSERT ($delta, ex:name, 'owner')")
    town.submit("shop", ANN_OWNS)
    town.run()
    assert {unit.peer for unit in town.units(rule)} == {"shop", "p5", "p17"}
    assert town.sent["ActionInstance"] == 2
    assert town.sent["SubQuery"] == 0
