"""What peers and their super-peer say survives the wire, in its order; what is malformed is refused."""

from __future__ import annotations

import contextlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.federation.federation import a, arc, called
from tests.rules.family import EX, FAMILY

from triplewire.errors import MessageRefused
from triplewire.federation.indexes.local_index import IndexChange
from triplewire.federation.sites.codec import (
    decode_from_peer,
    decode_from_super_peer,
    decode_view,
    encode_from_peer,
    encode_from_super_peer,
    encode_view,
)
from triplewire.federation.sites.privileges import Access, Privileges
from triplewire.federation.sites.requests import (
    Compensate,
    Compensated,
    Detect,
    Detected,
    EventQuery,
    Execute,
    Executed,
    Forget,
    FromPeer,
    FromSuperPeer,
    Match,
    Matched,
    Numbered,
    NumberedReply,
    Received,
    Refused,
    Reply,
    Report,
    ReportedUpdate,
    Request,
    Told,
)
from triplewire.federation.sites.site import PeerSite
from triplewire.languages.rdftl import parse_rule
from triplewire.languages.rdftl.syntax import AbortAction, Action, Component
from triplewire.rdf.terms import BlankNode, Literal, Quad, Triple
from triplewire.rules.changes import Changes, Edits, NamedEdits
from triplewire.rules.execution.actions import MovedArc
from triplewire.rules.graphs import Lookup
from triplewire.rules.vocabulary import TYPE
from triplewire.testing.strategies.rdftl import rules

ANN, BOB = EX["ann"], EX["bob"]
BLANK = Triple(BlankNode("b1"), EX["name"], Literal('a "quoted"\nline', language="en"))
STAR = Triple(ANN, EX["says"], Triple(BOB, EX["age"], Literal(7)))
EDITS = Edits((called("ann", "b"), called("ann", "a")), (BLANK,), NamedEdits((Quad(ANN, TYPE, BOB, EX["g"]),)))
CHANGES = Changes(EDITS, (STAR, called("ann", "b")), (a("bob", "Person"), a("ann", "Person")))
INDEX = IndexChange(frozenset({EX["Person"]}), frozenset({EX["name"]}), frozenset({(EX["Person"], ANN)}))
LOOKUPS = (Lookup(ANN, None, None), Lookup(None, EX["name"], Literal("b")), Lookup(BlankNode("b1"), TYPE, STAR))
CLASSES = {ANN: frozenset({EX["Person"], EX["Worker"]}), BlankNode("b1"): frozenset({EX["Thing"]})}
GUARD = Privileges(
    {EX["Person"]: Access.READ_ONLY}, {ANN: Access.PRIVATE}, {(BOB, EX["name"]): Access.READ_WRITE}, Access.READ_ONLY
)
RULE = parse_rule(
    """RULE 'sp-1.7' USING NAMESPACE ex http://example.org/
    LET $all := resource(http://example.org/ann)/target(ex:knows)
    ON UPDATE (_, ex:age, _ -> _) IF True
    DO UPDATE ($all, ex:age, $delta.old_target -> $delta.new_target); INSERT ($delta.source, ex:name, 'x')"""
)
DELTA = {Component.SOURCE: ANN, Component.OLD_TARGET: Literal(1), Component.NEW_TARGET: BlankNode("b1")}


def acting(number: int) -> Action:
    action = RULE.actions[number]
    assert not isinstance(action, AbortAction)
    return action


REQUESTS: list[Request] = [
    Execute("sp-1/3", acting(0), RULE.lets, DELTA, CLASSES, GUARD),
    Execute("sp-1/3", acting(1)),
    Detect(9, (EventQuery("sp-1.7", RULE.event, RULE.lets), EventQuery("sp-2.1", RULE.event))),
    Compensate(EDITS),
]
REPLIES: list[Reply] = [
    Executed(EDITS, CHANGES, INDEX, LOOKUPS, LOOKUPS[:1]),
    Detected({"sp-1.7": (DELTA, {Component.WHOLE: ANN}), "sp-1.2": ()}, CLASSES, LOOKUPS),
    Refused("does not conform", str(BLANK)),
    Refused("no"),
    Compensated(CHANGES, INDEX),
]
REPORT = Report(
    EDITS,
    (ReportedUpdate(CHANGES, (MovedArc(called("ann", "a"), called("ann", "b")),)), ReportedUpdate(Changes())),
    CHANGES,
    INDEX,
    LOOKUPS,
    LOOKUPS[1:],
    "ann",
    "put",
)
ASKED: list[FromSuperPeer] = [
    *(Numbered(number, request) for number, request in enumerate(REQUESTS)),
    Match("sp-1/7", LOOKUPS, GUARD),
    Match("sp-1/7", ()),
    Received(7),
    Forget(6),
]
TOLD: list[FromPeer] = [
    *(Told(serial, NumberedReply(serial + 1, reply)) for serial, reply in enumerate(REPLIES)),
    Told(9, REPORT),
    Matched("sp-1/7", ((STAR, called("ann", "b"), called("ann", "a")), (), (BLANK,)), 8),
]


def name_of(message: object) -> str:
    return type(getattr(message, "request", getattr(message, "what", message))).__name__


@pytest.mark.parametrize("message", ASKED, ids=name_of)
def test_every_request_survives(message: FromSuperPeer):
    assert decode_from_super_peer(encode_from_super_peer(message)) == message


@pytest.mark.parametrize("message", TOLD, ids=name_of)
def test_all_that_a_peer_tells_survives(message: FromPeer):
    assert decode_from_peer(encode_from_peer(message)) == message


def test_there_is_one_of_every_kind():
    assert {type(request) for request in REQUESTS} == set(Request.__args__)
    assert {type(reply) for reply in REPLIES} == set(Reply.__args__)
    assert {type(message) for message in ASKED} == set(FromSuperPeer.__args__)
    assert {type(message) for message in TOLD} == set(FromPeer.__args__)


def test_what_a_peer_has_survives():
    site = PeerSite("p", FAMILY)
    site.load([a("ann", "Nurse"), called("ann", "Ann"), arc("ann", "knows", "ann")])
    view = decode_view(encode_view(site.view))
    assert view.declared == FAMILY
    assert view.nodes == site.index.nodes
    assert set(view.references) == site.index.references
    assert view.describes(ANN)


@given(rules())
def test_an_action_and_an_event_of_any_rule_survive(rule):
    # A LET that needs more than the statement says may be printed; what it rests on comes with it.
    for action in rule.actions:
        if not isinstance(action, AbortAction):
            asked = Numbered(1, Execute("sp-1/1", action, rule.lets))
            assert decode_from_super_peer(encode_from_super_peer(asked)) == asked
    asked = Numbered(1, Detect(1, (EventQuery(rule.id, rule.event, rule.lets),)))
    assert decode_from_super_peer(encode_from_super_peer(asked)) == asked


NOTHING = ["", "", "", ""]
NO_INDEX = [[], [], [], []]


@pytest.mark.parametrize(
    "message",
    [
        ["told", -1, ["reply", 1, ["refused", "no"]]],
        ["told", 2**60, ["reply", 1, ["refused", "no"]]],
        ["told", 1, ["reply", 1, ["something", "no"]]],
        ["told", 1, ["refused", "no"]],
        ["told", 1, ["reply", 1, ["compensated", [["no triple"]], NO_INDEX]]],
        ["told", 1, ["reply", 1, ["compensated", [NOTHING], [["no iri"]]]]],
        ["told", 1, ["reply", 1, ["compensated", [NOTHING], [[], [], [["urn:a", "no iri"]]]]]],
        ["told", 1, ["reply", 1, ["detected", {"": []}]]],
        ["told", 1, ["reply", 1, ["detected", {"x" * 2_000: []}]]],
        ["told", 1, ["reply", 1, ["detected", {"a.1": [{}]}]]],
        ["told", 1, ["reply", 1, ["detected", {"a.1": [{"middle": "<urn:a>"}]}]]],
        ["told", 1, ["reply", 1, ["detected", {"a.1": [{"": "<urn:a> <urn:b>"}]}]]],
        ["told", 1, ["reply", 1, ["detected", {}, {"<urn:a>": ["no iri"]}]]],
        ["told", 1, ["reply", 1, ["detected", {}, {}, [["<urn:a>", "_:b", ""]]]]],
        ["told", 1, ["report", NOTHING, [[[NOTHING], "<urn:a> <urn:b> <urn:c> .\n"]], [NOTHING], NO_INDEX]],
        ["matched", "", []],
        ["matched", "a/1", ["<urn:a> <urn:b> " + "<<( <urn:a> <urn:b> " * 20_000]],
        {"told": 1},
        [],
    ],
    ids=lambda message: str(message)[:80],
)
def test_what_no_peer_tells_is_refused(message: object):
    with pytest.raises(MessageRefused):
        decode_from_peer(msgspec.msgpack.encode(message))


RULE_TEXT = "RULE r ON INSERT resource() IF True DO DELETE $delta"


@pytest.mark.parametrize(
    "message",
    [
        ["numbered", 1, ["execute", "a/1", "no rule"]],
        ["numbered", 1, ["execute", "a/1", RULE_TEXT + "; DELETE $delta"]],
        ["numbered", 1, ["execute", "a/1", "RULE r ON INSERT resource() IF True DO ABORT 'x'"]],
        ["numbered", 1, ["execute", "", RULE_TEXT]],
        ["numbered", 1, ["execute", "a/1", RULE_TEXT, {"x": "y"}]],
        ["numbered", 1, ["execute", "a/1", RULE_TEXT, None, {}, [{}, {}, [], 9]]],
        ["numbered", 1, ["execute", "a/1", RULE_TEXT, None, {}, [{"no term": 1}, {}, [], 0]]],
        ["numbered", 1, ["detect", 1, ["no rule"]]],
        ["numbered", 1, ["detect", -1, []]],
        ["match", "a/1", [["<urn:a>", ""]]],
        ["received", 1.5],
        ["numbered", 1, ["execute", "a/1", "RULE r ON INSERT resource() IF " + "not (" * 50_000]],
    ],
    ids=lambda message: str(message)[:80],
)
def test_what_no_super_peer_asks_is_refused(message: object):
    with pytest.raises(MessageRefused):
        decode_from_super_peer(msgspec.msgpack.encode(message))


@pytest.mark.parametrize(
    "view",
    [
        ["no triples", [], [], {}],
        ["", ["no iri"], [], {}],
        ["", [], ["urn:a"], {"urn:x": [1]}],
        ["", [], ["urn:a"], {"urn:x": [-1]}],
        ["", [], ["urn:a"], {"no iri": [0]}],
        ["", [], []],
    ],
    ids=str,
)
def test_what_no_peer_has_is_refused(view: object):
    with pytest.raises(MessageRefused):
        decode_view(msgspec.msgpack.encode(view))


def test_more_bytes_than_a_document_may_have_are_not_looked_at():
    with pytest.raises(MessageRefused, match="at most"):
        decode_from_peer(bytes((64 << 20) + 1))


BYTES = [encode_from_peer(message) for message in TOLD]


@given(st.sampled_from(BYTES), st.data())
def test_damaged_bytes_are_refused_or_say_something_else(data: bytes, draw: st.DataObject):
    place = draw.draw(st.integers(0, len(data) - 1))
    damaged = data[:place] + draw.draw(st.binary(max_size=3)) + data[place + 1 :]
    with contextlib.suppress(MessageRefused):
        decode_from_peer(damaged)
