"""Requests about rules and their answers cross a session as they are, and nothing else does."""

from __future__ import annotations

import pytest

from triplewire.errors import MessageRefused
from triplewire.wire import peer_requests as ask
from triplewire.wire.network_rules import NetworkRule, NetworkRules

REQUESTS = [
    ask.PutRule("r", "ON …", "MUTUAL"),
    ask.RemoveRule("sp-x.1"),
    ask.ListRules(),
    ask.FindRelevance("ON …", 2.5),
    ask.SubmitUpdates("INSERT …", 0),
    ask.WithdrawTransaction("sp-x/1"),
    ask.FindTransaction("sp-x/1"),
    ask.TraceTransaction("sp-x/1", 3600),
]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda one: type(one).__name__)
def test_a_request_is_read_as_it_was_written(request_):
    assert ask.decode_request(ask.encode(request_)) == request_


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xc1",
        b"\x91" * 100_000,
        ask.encode(ask.Removed()),
        ask.encode(ask.PutRule("r", "ON …", "SOMETIMES")),
        ask.encode(ask.SubmitUpdates("INSERT …", -1.0)),
        ask.encode(ask.SubmitUpdates("INSERT …", 1e9)),
    ],
)
def test_anything_else_is_refused(body):
    with pytest.raises(MessageRefused, match="a request about rules"):
        ask.decode_request(body)


def test_an_answer_is_read_as_what_was_asked_for():
    rule = NetworkRule(
        id="sp-x.1", name="r", origin="sp-x", owner="tw-a", text="ON …", abort="MUTUAL", registered=1.5, is_awake=True
    )
    answer = NetworkRules((rule,))
    assert ask.decode_answer(ask.encode(answer), NetworkRules) == answer
    with pytest.raises(MessageRefused, match="NetworkRule"):
        ask.decode_answer(ask.encode(answer), NetworkRule)
