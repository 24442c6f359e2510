"""F8 and suspended machines: the super-peer's time is monotonic, and does not jump."""

from __future__ import annotations

import logging

from triplewire.node.overlay.super_peer_clock import SuperPeerClock
from triplewire.node.transport.rate_limited_log import RateLimitedLog
from triplewire.testing import VirtualClock


def test_time_passes_but_a_machine_that_slept_has_not_waited():
    clock = VirtualClock()
    super_peer_clock = SuperPeerClock(clock.monotonic)
    clock.advance(0.5)
    assert super_peer_clock.now() == 0.5
    clock.advance(3_600)
    assert super_peer_clock.now() == 1.5
    assert super_peer_clock.now() == 1.5


def test_it_never_goes_back():
    clock = VirtualClock()
    super_peer_clock = SuperPeerClock(clock.monotonic)
    clock.advance(0.5)
    before = super_peer_clock.now()
    clock.advance(-50)
    assert super_peer_clock.now() == before
    clock.advance(0.25)
    assert super_peer_clock.now() == before + 0.25


def test_what_others_can_provoke_fills_no_log(caplog):
    clock = VirtualClock()
    limited = RateLimitedLog(logging.getLogger("limited"), clock.monotonic)
    for _ in range(1_000):
        limited.warning("garbage", "refused, from %s", "sp-a")
    limited.warning("size", "refused, from %s", "sp-b")
    clock.advance(1.5)
    limited.warning("garbage", "refused, from %s", "sp-a")
    assert [record.getMessage() for record in caplog.records] == [
        "refused, from sp-a",
        "refused, from sp-b",
        "refused, from sp-a (and 999 more before)",
    ]
