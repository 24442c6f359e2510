"""Runs whole schedules over a repository: feeds `step`, and does what it asks for.

A schedule changes the repository as one: its changes are handed over together, and if something fails that no abort
answers, everything is put back.
"""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic

from msgspec import Struct
from msgspec.structs import replace

from triplewire.errors import CascadeTooLong, SchemaViolation
from triplewire.rules.changes import Changes, Edits, NetChanges
from triplewire.rules.execution.context import Arrange, Limits, Principals, StepContext, as_registered
from triplewire.rules.execution.dataset_updates import AnyUpdate, DatasetUpdate
from triplewire.rules.execution.deadline import Clock, Deadline, Interrupt, OutOfTime, TimedGraph, never
from triplewire.rules.execution.rulebook import Rulebook
from triplewire.rules.execution.state import (
    Advance,
    Applied,
    Apply,
    Compensate,
    Effect,
    Finished,
    Input,
    Refused,
    Running,
    State,
    Submit,
)
from triplewire.rules.execution.steps import step
from triplewire.rules.execution.trace import ScheduleTrace, TraceEntry
from triplewire.rules.execution.units import Commutes, Status, lineage, none_commutes
from triplewire.rules.graphs import RecordingGraph
from triplewire.rules.name_resolution import resolved_update
from triplewire.rules.repository import Repository


class ScheduleOutcome(Struct, frozen=True):
    """What came of a schedule: its transactions and firings, and what has changed in the end, in all and by each."""

    entries: tuple[TraceEntry, ...]
    changes: Changes
    committed: dict[str, Changes]

    @property
    def firings(self) -> tuple[TraceEntry, ...]:
        """The entries of rules."""
        return tuple(entry for entry in self.entries if entry.rule is not None)

    @property
    def aborted(self) -> tuple[TraceEntry, ...]:
        """The entries that were compensated."""
        return tuple(entry for entry in self.entries if entry.status is Status.ABORTED)


class Runner:
    """Executes updates, and the rules that they trigger. `commutes` and `arrange` are as in `StepContext`."""

    def __init__(
        self,
        repository: Repository,
        rules: Rulebook,
        *,
        limits: Limits | None = None,
        commutes: Commutes = none_commutes,
        arrange: Arrange = as_registered,
        clock: Clock = monotonic,
    ) -> None:
        self._repository = repository
        self._rules = rules
        self._clock = clock
        self._limits = limits or Limits()
        self._context = StepContext(repository, rules, commutes, arrange, self._limits)

    def run(
        self, updates: Iterable[AnyUpdate], principals: Principals | None = None, interrupt: Interrupt = never
    ) -> ScheduleOutcome:
        """Execute a schedule; without principals all is one owner's.

        Raises `UnknownName` before anything has changed, and `CascadeTooLong` when the time is over. `interrupt` is
        called wherever that is checked; what it raises stops the schedule, which is undone.
        """
        schedule = tuple(self._resolved(update) for update in updates)
        context = replace(self._timed(interrupt), principals=principals or Principals())
        execution = Execution(self._repository, context)
        try:
            return execution.run(schedule)
        except OutOfTime:
            self._put_back(execution)
            raise CascadeTooLong(self._limits.seconds or 0.0, execution.cascade, execution.fired) from None
        except BaseException:
            self._put_back(execution)
            raise

    def _resolved(self, update: AnyUpdate) -> AnyUpdate:
        return update if isinstance(update, DatasetUpdate) else resolved_update(update, self._rules.schema)

    def _timed(self, interrupt: Interrupt) -> StepContext:
        if self._limits.seconds is None and interrupt is never:
            return self._context
        deadline = Deadline(self._limits.seconds, self._clock, interrupt)
        return replace(self._context, graph=TimedGraph(self._repository, deadline), deadline=deadline)

    def _put_back(self, execution: Execution) -> None:
        self._repository.apply(execution.net.changes.edits.reversed())

    def dry_run(self, updates: Iterable[AnyUpdate]) -> ScheduleOutcome:
        """What would come of a schedule. The repository is afterwards as it was before."""
        outcome = self.run(updates)
        self._repository.apply(outcome.changes.edits.reversed())
        return outcome


class Execution:
    """One schedule. `net` is what it has changed so far."""

    def __init__(self, repository: Repository, context: StepContext) -> None:
        self._repository = repository
        self._context = context
        self._state = State()
        self._trace = ScheduleTrace()
        self.net = NetChanges()

    def run(self, schedule: tuple[AnyUpdate, ...]) -> ScheduleOutcome:
        """Everything, until nothing is left to do."""
        self.take(Submit(schedule))
        while not self.take(Advance()):
            self._context.deadline.check()
        return ScheduleOutcome(self._trace.entries, self.net.changes, self._trace.committed())

    @property
    def cascade(self) -> tuple[str, ...]:
        """What is executed now: its transaction, and the rules that led to it."""
        busy = self._state.busy
        pending = busy.pending if isinstance(busy, Running) else next(reversed(self._state.stack), None)
        # Between two updates it is the last one that began.
        number = max(self._state.units, default=None) if pending is None else pending.unit
        if number is None:
            return ()
        line = lineage(self._state.units, self._state.units[number])
        return tuple(unit.transaction if unit.rule is None else unit.rule.id for unit in line)

    @property
    def fired(self) -> frozenset[str]:
        """The rules that have fired so far."""
        return frozenset(entry.rule for entry in self._trace.entries if entry.rule is not None)

    def take(self, given: Input) -> bool:
        """Take one input and all that follows from it; whether nothing is left to do."""
        waiting: list[Input] = [given]
        finished = False
        while waiting:
            self._state, effects = step(self._state, waiting.pop(), self._context)
            for effect in effects:
                answer = self._do(effect)
                if answer is not None:
                    waiting.append(answer)
                finished = finished or isinstance(effect, Finished)
        return finished

    def _do(self, effect: Effect) -> Input | None:
        if isinstance(effect, Apply | Compensate):
            return self._edit(effect.edits)
        self._trace.include(effect)
        return None

    def _edit(self, edits: Edits) -> Input:
        try:
            changes = self._repository.apply(edits, seen := RecordingGraph(self._context.graph))
        except SchemaViolation as error:
            return Refused(error)
        self.net.include(changes)
        return Applied(changes, tuple(seen.lookups))
