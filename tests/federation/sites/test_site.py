"""A peer does what its super-peer asks: each numbered request once, sub-queries as often as they come."""

from __future__ import annotations

import pytest
from tests.federation.federation import a, arc, called
from tests.rules.execution.town import PREAMBLE
from tests.rules.family import EX, FAMILY

from triplewire.errors import SchemaViolation
from triplewire.federation.indexes.local_index import LocalIndex
from triplewire.federation.sites.privileges import Access, Privileges
from triplewire.federation.sites.requests import (
    Compensate,
    Compensated,
    Detect,
    Detected,
    EventQuery,
    Execute,
    Executed,
    Match,
    Matched,
    Numbered,
    NumberedReply,
    Received,
    Refused,
    Reply,
    Report,
    Told,
)
from triplewire.federation.sites.site import PeerSite
from triplewire.languages.rdftl import parse_rule, parse_updates
from triplewire.languages.rdftl.syntax import Action, Component, Update
from triplewire.rdf.terms import BlankNode, Literal, NamedNode, Triple
from triplewire.rules.changes import Edits
from triplewire.rules.graphs import Lookup
from triplewire.rules.name_resolution import resolved, resolved_update
from triplewire.rules.vocabulary import TYPE


def site(*triples: Triple) -> PeerSite:
    peer = PeerSite("p", FAMILY)
    peer.load([a("ann", "Person"), *triples])
    return peer


def action(text: str) -> Action:
    (update,) = parse_updates(f"{PREAMBLE}{text};;")
    return resolved_update(update, FAMILY).action


def asked(peer: PeerSite, number: int, request: Execute | Detect | Compensate) -> Reply:
    answer = peer.receive(Numbered(number, request))
    assert isinstance(answer, Told)
    assert isinstance(answer.what, NumberedReply)
    assert answer.what.number == number
    return answer.what.reply


NAMED = Execute("u", action("INSERT (resource(http://example.org/ann), ex:name, 'x')"))


def test_a_request_that_comes_again_is_answered_again_and_done_once():
    peer = site()
    first = asked(peer, 1, Execute("u", action("INSERT (resource(http://example.org/ann), ex:age, 7)")))
    assert asked(peer, 1, NAMED) is first
    assert called("ann", "x") not in peer.repository
    asked(peer, 2, NAMED)
    assert peer.receive(Numbered(1, NAMED)) is None


def test_it_says_what_was_wanted_what_has_changed_and_what_was_read():
    peer = site()
    done = asked(peer, 1, NAMED)
    assert isinstance(done, Executed)
    assert done.wanted == Edits(inserted=(called("ann", "x"),))
    assert done.changes.inserted == (called("ann", "x"),)
    assert done.index.grown == {EX["name"]}
    again = asked(peer, 2, NAMED)
    assert isinstance(again, Executed)
    assert again.wanted == done.wanted
    assert not again.changes
    assert Lookup(EX["ann"], TYPE, EX["Being"]) in done.checks


def test_what_does_not_conform_is_refused_with_the_triple():
    refused = asked(site(), 1, Execute("u", action("INSERT (resource(http://example.org/new), ex:name, 'x')")))
    assert isinstance(refused, Refused)
    assert refused.violated == str(called("new", "x"))


def test_an_arc_may_lead_to_what_another_site_describes():
    peer = site()
    knows = action("INSERT (resource(http://example.org/ann), ex:knows, resource(http://example.org/far))")
    assert isinstance(asked(peer, 1, Execute("u", knows)), Refused)
    classes = {EX["far"]: frozenset({EX["Being"]})}
    assert isinstance(asked(peer, 2, Execute("u", knows, classes=classes)), Executed)
    assert Triple(EX["far"], TYPE, EX["Being"]) not in peer.repository
    assert EX["far"] in {resource for _, resource in peer.index.references}
    # Its classes are kept, since an arc leads to it.
    assert isinstance(asked(peer, 3, Execute("u", knows)), Executed)


def test_event_queries_see_the_last_change():
    peer = site()
    rule = resolved(parse_rule(f"{PREAMBLE} ON INSERT (_, ex:name, _) IF True DO DELETE $delta"), FAMILY)
    query = EventQuery("r", rule.event, rule.lets)
    asked(peer, 1, NAMED)
    found = asked(peer, 2, Detect(1, (query,)))
    assert isinstance(found, Detected)
    assert [delta[Component.SOURCE] for delta in found.deltas["r"]] == [EX["ann"]]
    assert EX["Person"] in found.classes[EX["ann"]]
    asked(peer, 3, Execute("u", action("INSERT (resource(http://example.org/ann), ex:age, 7)")))
    assert asked(peer, 4, Detect(3, (query,))) == Detected({}, {}, ())


def test_a_compensation_conforms_or_is_refused():
    peer = site(arc("ann", "likes", "ann"))
    refused = asked(peer, 1, Compensate(Edits(deleted=(a("ann", "Person"),))))
    assert isinstance(refused, Refused)
    assert refused.violated is not None
    both = Edits(deleted=(a("ann", "Person"), arc("ann", "likes", "ann")))
    assert isinstance(asked(peer, 2, Compensate(both)), Compensated)
    assert not peer.index.nodes


def test_sub_queries_show_what_is_open_and_blank_nodes_by_name():
    peer = site(
        called("ann", "x"), Triple(EX["ann"], EX["knows"], BlankNode("b")), Triple(BlankNode("b"), TYPE, EX["Being"])
    )
    named = NamedNode("urn:triplewire:blank:p:b")
    knows, names = Lookup(EX["ann"], EX["knows"], None), Lookup(None, EX["name"], None)
    found = peer.receive(Match("q", (knows, names, Lookup(named, TYPE, None))))
    assert found == Matched(
        "q",
        (
            (Triple(EX["ann"], EX["knows"], named),),
            (called("ann", "x"),),
            (Triple(named, TYPE, EX["Being"]),),
        ),
    )
    guarded = peer.receive(Match("q", (knows, names), Privileges({EX["name"]: Access.READ_ONLY})))
    assert guarded == Matched("q", ((), (called("ann", "x"),)))


class TestItsOwnChanges:
    def test_a_change_is_one_transaction_with_all_that_it_came_to(self):
        peer = site(called("ann", "x"))
        text = "TRANSACTION t UPDATE ({0}, ex:name, _ -> 'y');; INSERT ({0}, ex:age, 7);;"
        told = peer.change(own(text), author="ann", name="mine")
        assert told.serial == 1
        assert isinstance(told.what, Report)
        report = told.what
        assert (report.author, report.name) == ("ann", "mine")
        assert set(report.changes.inserted) == {called("ann", "y"), Triple(EX["ann"], EX["age"], Literal(7))}
        assert report.changes.deleted == (called("ann", "x"),)
        assert [len(update.moved) for update in report.updates] == [1, 0]
        assert report.index.grown == {EX["age"]}
        assert called("ann", "y") in report.wanted.inserted
        assert Lookup(EX["ann"], EX["name"], None) in report.reads
        assert Lookup(EX["ann"], TYPE, EX["Being"]) in report.checks

    def test_it_is_all_of_it_or_nothing(self):
        peer = site(called("ann", "x"))
        before, index = set(peer.repository.asserted), peer.index.references
        with pytest.raises(SchemaViolation):
            peer.change(own("TRANSACTION t DELETE ({0}, ex:name, _);; INSERT ({0}, ex:team, {0});;"))
        assert set(peer.repository.asserted) == before
        assert (peer.index.references, peer.stream.serial) == (index, 0)

    def test_edits_are_a_change_as_well(self):
        peer = site()
        told = peer.change([Edits(inserted=(called("ann", "x"),))])
        assert isinstance(told.what, Report)
        assert told.what.changes.inserted == (called("ann", "x"),)

    def test_changes_and_answers_are_one_stream(self):
        peer = site()
        assert peer.change(own("INSERT ({0}, ex:age, 7);;")).serial == 1
        answer = peer.receive(Numbered(1, NAMED))
        assert isinstance(answer, Told)
        assert answer.serial == 2
        assert peer.change(own("INSERT ({0}, ex:age, 8);;")).serial == 3
        assert peer.receive(Numbered(1, NAMED)) is answer
        matched = peer.receive(Match("q", ()))
        assert isinstance(matched, Matched)
        assert matched.after == 3
        assert peer.receive(Received(2)) is None
        assert [told.serial for told in peer.stream.to_repeat] == [3]

    def test_a_site_goes_on_with_what_was_saved(self):
        peer = site()
        peer.change(own("INSERT ({0}, ex:age, 7);;"))
        first = peer.receive(Numbered(1, NAMED))
        again = PeerSite("p", FAMILY, stream=peer.stream)
        assert again.receive(Numbered(1, NAMED)) is first
        assert again.stream.next_serial == 1


def own(text: str) -> tuple[Update, ...]:
    return parse_updates(PREAMBLE + text.format("resource(http://example.org/ann)"))


def test_the_index_is_that_of_the_repository():
    peer = site(called("ann", "x"))
    asked(peer, 1, Execute("u", action("DELETE resource(http://example.org/ann)")))
    assert peer.index.nodes == LocalIndex(peer.repository).nodes == set()
