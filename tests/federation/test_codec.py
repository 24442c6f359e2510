"""Messages survive the wire, and what is none is refused."""

from __future__ import annotations

import pytest

from triplewire.errors import MessageRefused
from triplewire.federation.codec import Announced, Body, decode, encode, is_about_rules
from triplewire.federation.delivery import Acknowledgement, Parcel
from triplewire.federation.execution.messages import (
    AbortWanted,
    ActionInstance,
    ChildScheduled,
    Conflicts,
    SubAnswer,
    SubQuery,
    Withdrawn,
)
from triplewire.federation.indexes.network_index import Offer, Versions
from triplewire.federation.indexes.whole_schema import GroupSchema
from triplewire.federation.inquiries.messages import (
    PartConcern,
    RelevanceFound,
    RelevanceWanted,
    TracedUnit,
    TraceFound,
    TraceWanted,
)
from triplewire.federation.messages import Message
from triplewire.federation.registration.messages import (
    Correction,
    Registered,
    RulesFound,
    RulesWanted,
    Summary,
    Unregistered,
)
from triplewire.federation.registration.records import RuleRecord
from triplewire.languages.rdftl.syntax import Abort

RECORD = RuleRecord("a.1", "a", "r", "ON ...", 1.5, "ann", Abort.MUTUAL)
UNIT = TracedUnit("b/2", "ann", "a/1", "a.1", 1, Abort.MUTUAL, "active", "", False, {"": "<urn:x>"})
MESSAGES: list[Message] = [
    Registered(RECORD),
    Unregistered("a.1"),
    Summary(("urn:n",), ("a.1",)),
    Correction((RECORD,), ("a.2",)),
    RulesWanted("a/1", ("urn:n",), ("urn:n", "urn:m"), 2),
    RulesFound("a/1", (RECORD,), True),
    Offer("a", 3, ("urn:n",), (), ("urn:m",)),
    Versions({"a": 3}, {"a": 2}),
    GroupSchema("a", 2, "<urn:n> <urn:p> <urn:m> .\n"),
    ActionInstance("a/3", RECORD, {"": "<urn:x>"}, {"<urn:x>": ("urn:n",)}, "a/1", "a/1", "a/2", 4),
    ActionInstance("a/3", RECORD, None, {}, "a/1", "a/1", "a/2", 4),
    ChildScheduled("a/1", "b/2"),
    AbortWanted("b/2", "it fails", True),
    SubQuery("a/4", "a/5", "ON ...", "a/1", "a/1", (("<urn:x>", "", ""),)),
    SubAnswer("a/4", ('<urn:x> <urn:p> "v" .\n',), False),
    Conflicts((("a/1", "b/2"),)),
    Withdrawn("a/1"),
    RelevanceWanted("a?1", "ON ..."),
    RelevanceFound("a?1", (PartConcern("ann", "event", True, "why"), PartConcern("", "actions", False, "why not"))),
    TraceWanted("a?2", "a/1", ("a/1", "b/2")),
    TraceFound("a?2", "a/1", (UNIT,), (("a/1", "b/2"),), ("why not",), (("b", "a/1"),)),
    TraceFound("a?2", ""),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_every_message_survives(message: Message):
    for body in (Parcel(7, message), Announced("a", message)):
        assert decode(encode(body)) == body


def test_there_is_one_of_every_kind():
    assert {type(message) for message in MESSAGES} == set(Message.__args__)


def test_an_acknowledgement_survives():
    body: Body = Acknowledgement(9)
    assert decode(encode(body)) == body


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"tw:rules:1:",
        encode(Acknowledgement(1))[:-1],
        b"tw:rules:1:\x93\xa3foo",
        b"x",
        encode(Announced("a", Unregistered("a.1"))).replace(b"a.1", b"\xff.1"),
    ],
)
def test_what_is_no_message_is_refused(data: bytes):
    with pytest.raises(MessageRefused):
        decode(data)


def test_others_have_bodies_of_their_own():
    assert not is_about_rules(b"\x92\x01")
    assert is_about_rules(encode(Acknowledgement(1)))
