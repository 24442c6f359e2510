"""Histories find a super-peer that is broken. Each test takes one thing out of the routing, and expects to be told."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from triplewire.network.link import Link
from triplewire.network.routing.advertisements import forwarding
from triplewire.network.routing.attachments import Downstream
from triplewire.network.routing.router import Router
from triplewire.network.routing.watermarks import Watermarks
from triplewire.testing.simulation.superpeers import run
from triplewire.testing.simulation.superpeers.disk import Outbox
from triplewire.testing.simulation.superpeers.host import Host

# First those that find most. Any that finds it will do.
SEEDS = (1, 3, 15, *range(60))


def rules_broken(wanted: str) -> bool:
    """Whether some history breaks this rule."""
    outcomes = (run(seed) for seed in SEEDS)
    return any(outcome.violation is not None and outcome.violation.rule == wanted for outcome in outcomes)


@pytest.mark.parametrize(
    ("part", "name", "broken", "rule"),
    [
        (Link, "_retransmission", lambda _link: [], "missing"),
        (Downstream, "forget", lambda _down, _recall: None, "missing"),
        (Watermarks, "recall_all", lambda _watermarks, up: up.take_recall(), "missing"),
        (Router, "unsubscribe", lambda _router, _key, _peer: [], "unwanted"),
        (forwarding, "combined", lambda descriptions: {one.key: one for one in descriptions}, "missing"),
        (Host, "_subscribe_rule", lambda _host, _rule: None, "missing"),
        (Host, "_is_own_change", lambda _host, _publication: False, "loop"),
        (Host, "_report_gap", lambda _host, _name, _outbox: None, "missing"),
        (Outbox, "trim", lambda outbox, floor: setattr(outbox, "gap", floor + 1), "lapse"),
        (Router, "_is_expected", lambda _router, _up, _publication: True, "order"),
    ],
    ids=[
        "nothing lost is sent again",
        "nothing recalled is sent again",
        "nothing is recalled",
        "nobody hears of the end of a subscription",
        "each advertisement of a client is read alone",
        "rules that listen do not stand in the network",
        "rules hear what their own node's rules did",
        "nobody is told of what retention removed",
        "what is there is told to be lost",
        "events are taken from anywhere",
    ],
)
def test_a_broken_part_is_found(
    part: object, name: str, broken: Callable[..., object], rule: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(part, name, broken)
    assert rules_broken(rule)
