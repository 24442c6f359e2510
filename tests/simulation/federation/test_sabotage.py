"""Runs find what is broken. Each test takes one thing out, and expects to be told."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from triplewire.federation.execution import firing, reports
from triplewire.federation.execution.abort_graph import AbortGraph
from triplewire.federation.execution.conditions import evaluation
from triplewire.federation.execution.conditions.evaluation import ConditionEvaluation
from triplewire.federation.execution.journal import Journal
from triplewire.federation.execution.lanes import Lane
from triplewire.federation.execution.serialisation import SerialisationGraph, Verdict
from triplewire.federation.execution.state import ExecutionState
from triplewire.federation.indexes.group_index import GroupChange, GroupIndex, PeerView
from triplewire.federation.indexes.local_index import IndexChange, LocalIndex
from triplewire.federation.inputs import Input, Tick, decode_input, encode_input
from triplewire.federation.machine import RuleMachine
from triplewire.federation.outputs import Output
from triplewire.federation.registration.registrar import Registrar
from triplewire.federation.sites.privileges import Privileges
from triplewire.federation.sites.requests import Report
from triplewire.federation.super_peer import RuleSuperPeer
from triplewire.rules.changes import Edits
from triplewire.rules.execution.triggering.deferral import Standing
from triplewire.rules.execution.triggering.reachability import ReachIndex
from triplewire.rules.paths import DeltaTerms
from triplewire.testing.simulation.federation import hard_scenario, run
from triplewire.testing.simulation.federation.host import RuleHost, Told
from triplewire.testing.simulation.federation.input_log import InputLog

SEEDS = range(60)
CALM = range(0, 600, 2)
Break = Callable[[pytest.MonkeyPatch], None]


def finds(wanted: str) -> bool:
    """Whether some run breaks this rule."""
    if wanted == "one node":
        violations = (run(seed).violation for seed in CALM)
    else:
        violations = (run(seed, hard_scenario(seed)).violation for seed in SEEDS)
    return any(violation is not None and violation.rule == wanted for violation in violations)


def nothing_follows(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(AbortGraph, "after", lambda self, unit: ())


def nobody_tells_the_parent(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(firing, "child_scheduled", lambda state, message: None)


def nothing_is_compensated(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Journal, "compensation", lambda self, names: Edits())


def what_others_wanted_too_is_taken_away(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Journal, "_left", lambda self, triple: next(e.was[triple] for e in self._writes.wanting(triple)))


def nobody_looks_at_privileges(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Privileges, "check", lambda self, triples, classes: None)
    patch.setattr(Privileges, "writable", lambda self, view: view)
    patch.setattr(Privileges, "open_nodes", lambda self, nodes, access: nodes)


def nobody_asks_for_rules(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Registrar, "group_changed", lambda self, now, change: [])
    patch.setattr(Registrar, "_exchange", lambda self, now: [])


def conditions_are_evaluated_at_home(patch: pytest.MonkeyPatch) -> None:
    def evaluate(self: ConditionEvaluation) -> tuple[object, ...]:
        missing = original(self)
        self.holding = self.holding or ()
        return () if self.holding is not None else missing

    original = ConditionEvaluation.evaluate
    patch.setattr(ConditionEvaluation, "evaluate", evaluate)


def nobody_hears_that_a_peer_declares_another_schema(patch: pytest.MonkeyPatch) -> None:
    original = GroupIndex.join

    def join(self: GroupIndex, peer: str, view: PeerView) -> GroupChange:
        if peer in self:
            view.declare(self[peer].declared)
        return original(self, peer, view)

    patch.setattr(GroupIndex, "join", join)
    patch.setattr(RuleSuperPeer, "declare", lambda *_: [])


def what_was_undone_counts_at_the_end(patch: pytest.MonkeyPatch) -> None:
    class AlwaysStanding(Standing):
        def holds(self, delta: DeltaTerms) -> bool:
            return True

    patch.setattr(evaluation, "Standing", AlwaysStanding)


def what_is_deleted_has_never_been(patch: pytest.MonkeyPatch) -> None:
    holding = evaluation.holding
    patch.setattr(evaluation, "holding", lambda rule, deltas, now, then: holding(rule, deltas, now, now))


def nobody_looks_where_paths_lead(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ReachIndex, "of", lambda self, changes: [])


def rules_that_abort_act_nowhere(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(firing, "_aborts", lambda rule: False)


def cycles_are_left_alone(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(SerialisationGraph, "judge", lambda self, now, around: Verdict())


def what_was_reported_is_a_transaction_like_others(patch: pytest.MonkeyPatch) -> None:
    def reported(state: ExecutionState, lane: Lane, serial: int, report: Report) -> None:
        original(state, lane, serial, report)
        state.units[lane.ready[-1]].is_sealed = False

    original = reports._reported
    patch.setattr(reports, "_reported", reported)


def bits_are_set_and_never_cleared(patch: pytest.MonkeyPatch) -> None:
    def follow(self: LocalIndex, changes: object) -> IndexChange:
        change = original(self, changes)  # type: ignore[arg-type]
        return IndexChange(grown=change.grown, referenced=change.referenced)

    original = LocalIndex.follow
    patch.setattr(LocalIndex, "follow", follow)


def outputs_leave_before_their_inputs_are_on_the_disk(patch: pytest.MonkeyPatch) -> None:
    def take(self: RuleHost, given: Input, told: Told | None = None) -> list[Output]:
        data, outputs = encode_input(given), self.machine.take(given)  # type: ignore[union-attr]
        self._uncommitted += 1
        self._committed(b"", outputs, told)
        self.write(lambda: append(self.log, data))
        return outputs

    append = InputLog.append
    patch.setattr(InputLog, "append", lambda self, data: None)
    patch.setattr(RuleHost, "take", take)


def ticks_are_not_in_the_log(patch: pytest.MonkeyPatch) -> None:
    def append(self: InputLog, data: bytes) -> None:
        if not isinstance(decode_input(data), Tick):
            original(self, data)

    original = InputLog.append
    patch.setattr(InputLog, "append", append)


def no_tick_is_due(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(RuleMachine, "is_due", lambda self, now: False)


@pytest.mark.parametrize(
    ("broken", "rule"),
    [
        (nothing_follows, "dependency"),
        (nobody_tells_the_parent, "dependency"),
        (nothing_is_compensated, "left"),
        (what_others_wanted_too_is_taken_away, "left"),
        (nobody_looks_at_privileges, "privilege"),
        (nobody_asks_for_rules, "replica"),
        (conditions_are_evaluated_at_home, "one node"),
        (nobody_hears_that_a_peer_declares_another_schema, "one node"),
        (what_was_undone_counts_at_the_end, "one node"),
        (what_is_deleted_has_never_been, "one node"),
        (nobody_looks_where_paths_lead, "one node"),
        (rules_that_abort_act_nowhere, "one node"),
        (cycles_are_left_alone, "cycle"),
        (what_was_reported_is_a_transaction_like_others, "sealed"),
        (bits_are_set_and_never_cleared, "left"),
        (outputs_leave_before_their_inputs_are_on_the_disk, "unfinished"),
        (ticks_are_not_in_the_log, "unfinished"),
        (no_tick_is_due, "unfinished"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_runs_find_it(broken: Break, rule: str, monkeypatch: pytest.MonkeyPatch):
    broken(monkeypatch)
    assert finds(rule)
