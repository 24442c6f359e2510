"""The trace of a schedule: what fired, because of what, what it did and how it ended."""

from __future__ import annotations

from msgspec import Struct

from triplewire.errors import TriplewireError
from triplewire.languages.rdftl.syntax import Abort, Coupling
from triplewire.rules.changes import Changes, Edits, NetChanges
from triplewire.rules.execution.actions import ActionEdits
from triplewire.rules.execution.dataset_updates import AnyAction
from triplewire.rules.execution.state import Effect, Ended, Executed, Fired
from triplewire.rules.execution.units import ReadSet, Status, Unit
from triplewire.rules.paths import DeltaTerms


class ExecutedAction(Struct, frozen=True):
    """An action that was executed, what it asked for, and what it changed.

    `order` counts the actions of a schedule as they came.
    """

    action: AnyAction
    changes: Changes
    order: int = 0
    planned: ActionEdits = ActionEdits(Edits())


class TraceEntry(Struct, frozen=True, kw_only=True):
    """One unit: a transaction, or the firing of a rule. `cause` is the number of the entry that triggered the rule.

    `abort` says who of the two aborts with the other; a rule of somebody else cannot make its cause abort. `reads` and
    `checks` are what it has asked of the graph, the latter to see whether what it did conforms.
    """

    number: int
    transaction: str
    rule: str | None
    cause: int | None
    depth: int
    coupling: Coupling | None
    abort: Abort | None
    delta: DeltaTerms | None
    actions: tuple[ExecutedAction, ...]
    status: Status
    error: TriplewireError | None
    reads: tuple[ReadSet, ...] = ()
    checks: tuple[ReadSet, ...] = ()


class ScheduleTrace:
    """Collects the entries of a schedule from the effects of its steps."""

    def __init__(self) -> None:
        self._units: dict[int, Unit] = {}
        self._deltas: dict[int, DeltaTerms | None] = {}
        self._actions: dict[int, list[ExecutedAction]] = {}
        self._executed = 0

    def include(self, effect: Effect) -> None:
        """Take note of one effect."""
        match effect:
            case Fired(unit, delta):
                self._units[unit.number] = unit
                self._deltas[unit.number] = delta
            case Executed(number, action, planned, changes):
                self._executed += 1
                self._actions.setdefault(number, []).append(ExecutedAction(action, changes, self._executed, planned))
            case Ended(units):
                self._units.update((unit.number, unit) for unit in units)

    @property
    def entries(self) -> tuple[TraceEntry, ...]:
        """Everything so far, in the order in which it came onto the schedule."""
        return tuple(self._entry(unit) for _, unit in sorted(self._units.items()))

    def committed(self) -> dict[str, Changes]:
        """What each transaction has changed in the end, those that changed nothing left out.

        An independent subtransaction that survived its transaction counts as part of it.
        """
        nets: dict[str, NetChanges] = {}
        for number in sorted(self._actions):
            unit = self._units[number]
            if unit.status is Status.COMMITTED:
                for action in self._actions[number]:
                    nets.setdefault(unit.transaction, NetChanges()).include(action.changes)
        changed = ((name, net.changes) for name, net in nets.items())
        return {name: changes for name, changes in changed if not changes.is_nothing}

    def _entry(self, unit: Unit) -> TraceEntry:
        return TraceEntry(
            number=unit.number,
            transaction=unit.transaction,
            rule=None if unit.rule is None else unit.rule.id,
            cause=unit.parent,
            depth=unit.depth,
            coupling=None if unit.rule is None else unit.rule.coupling,
            abort=unit.abort_dependency,
            delta=self._deltas.get(unit.number),
            actions=tuple(self._actions.get(unit.number, ())),
            status=unit.status,
            error=unit.error,
            reads=unit.reads,
            checks=unit.checks,
        )
