"""A machine that is restored does what the one before would have done, and no tick that is left out is missed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest

from triplewire.federation.inputs import Input, Tick, decode_input, encode_input
from triplewire.federation.machine import RuleMachine
from triplewire.federation.outputs import Output
from triplewire.testing.simulation.federation import hard_scenario, run
from triplewire.testing.simulation.federation.host import RuleHost

EVERY = 40
"""A multiple of no number of super-peers, so that each has its turn."""


@pytest.mark.parametrize("seed", [3, 11, 20])
def test_a_machine_and_what_was_restored_of_it_do_the_same(seed: int, monkeypatch: pytest.MonkeyPatch):
    twins: dict[RuleMachine, RuleMachine] = {}
    compared = 0
    take, numbers = RuleMachine.take, count()

    def both(machine: RuleMachine, given: Input) -> list[Output]:
        nonlocal compared
        if machine in twins.values():
            return take(machine, given)
        again = decode_input(encode_input(given))
        # An old twin has taken many inputs, a new one has everything from a snapshot.
        if machine not in twins or next(numbers) % EVERY == 0:
            twins[machine] = RuleMachine.restore(machine.snapshot())
        outputs = take(machine, given)
        assert take(twins[machine], again) == outputs
        compared += 1
        return outputs

    monkeypatch.setattr(RuleMachine, "take", both)
    assert run(seed, hard_scenario(seed)).violation is None
    assert compared > 500


@pytest.mark.parametrize("seed", [1, 8])
def test_a_tick_that_is_not_due_would_change_nothing(seed: int, monkeypatch: pytest.MonkeyPatch):
    looked_at = 0
    is_due, numbers = RuleMachine.is_due, count()

    def watched(machine: RuleMachine, now: float) -> bool:
        nonlocal looked_at
        due = is_due(machine, now)
        if not due and next(numbers) % EVERY == 0:
            looked_at += 1
            assert_nothing_happens(machine.snapshot(), now)
        return due

    monkeypatch.setattr(RuleMachine, "is_due", watched)
    assert run(seed, hard_scenario(seed)).violation is None
    assert looked_at > 20


def assert_nothing_happens(snapshot: bytes, now: float) -> None:
    one, other = RuleMachine.restore(snapshot), RuleMachine.restore(snapshot)
    assert one._tick(now) == []
    # When it was asked last is all that it may know more.
    other.rules.coordinator.state.now = now
    assert one.snapshot() == other.snapshot()


def test_ticks_are_left_out(monkeypatch: pytest.MonkeyPatch):
    """Otherwise nothing of this is worth anything."""
    ticks = 0
    take: Callable[[RuleHost, Input], object] = RuleHost.take

    def counting(host: RuleHost, given: Input, *others: object) -> object:
        nonlocal ticks
        ticks += isinstance(given, Tick)
        return take(host, given, *others)

    monkeypatch.setattr(RuleHost, "take", counting)
    outcome = run(2)
    world_ticks = max(record.time for record in outcome.history.records) / 0.2 * outcome.scenario.size
    assert 0 < ticks < world_ticks / 3
