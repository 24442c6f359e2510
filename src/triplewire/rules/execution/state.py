"""The state of a schedule, what may come in, and what has to be done.

A schedule is executed by one who feeds inputs to `step` and carries out the effects: `Advance` asks for the next
update, `Apply` is answered by `Applied` or `Refused`, and so is `Compensate`. Every value here is immutable.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from triplewire.errors import SchemaViolation
from triplewire.rules.changes import Changes, Edits
from triplewire.rules.execution.actions import ActionEdits
from triplewire.rules.execution.dataset_updates import AnyAction, AnyUpdate
from triplewire.rules.execution.triggering.firing import Trigger
from triplewire.rules.execution.units import Aborts, Pending, Unit, Units
from triplewire.rules.graphs import Lookup
from triplewire.rules.paths import DeltaTerms


class Running(Struct, frozen=True):
    """An update that was handed out, and what it asked for on the way."""

    pending: Pending
    planned: ActionEdits
    lookups: tuple[Lookup, ...]


class Compensating(Struct, frozen=True):
    """A compensation that was handed out."""

    aborts: Aborts
    edits: Edits


class State(Struct, frozen=True):
    """A schedule in execution.

    `schedule` holds the updates that were asked for; those before `position` are done. `counts` says how many it has
    for each transaction that was named. `stack` holds what comes before the rest of them, its last first: the actions
    of rules that have fired, and of what is executed now. `deferred` are the deferred rules that wait for the end of
    the transaction that has triggered them, by transaction. `active` are transactions that have
    begun and not come to their end, with the number of updates that the schedule still has for them. What rules that
    are foreign to the author make execute counts apart, so that it leaves the author its own.
    """

    schedule: tuple[AnyUpdate, ...] = ()
    position: int = 0
    counts: Mapping[str, int] = {}
    stack: tuple[Pending, ...] = ()
    deferred: Mapping[int, tuple[Trigger, ...]] = {}
    detached: tuple[tuple[Pending, ...], ...] = ()
    units: Units = {}
    active: Mapping[int, int] = {}
    time: int = 0
    last_unit: int = 0
    executed: int = 0
    executed_by_others: int = 0
    busy: Running | Compensating | None = None


# Inputs


class Submit(Struct, frozen=True):
    """The updates of a schedule, their names resolved. A state takes one schedule."""

    updates: tuple[AnyUpdate, ...]


class Advance(Struct, frozen=True):
    """Go on."""


class Applied(Struct, frozen=True):
    """The edits were done, and this has changed. `checked` is what was asked to see that the graph conforms."""

    changes: Changes
    checked: tuple[Lookup, ...] = ()


class Refused(Struct, frozen=True):
    """The edits could not be done, and nothing has changed."""

    error: SchemaViolation


class AbortRequested(Struct, frozen=True):
    """A transaction that has begun and is still known is to abort."""

    transaction: str


Input = Submit | Advance | Applied | Refused | AbortRequested


# Effects


class Apply(Struct, frozen=True):
    """Do the edits, and answer."""

    edits: Edits


class Compensate(Struct, frozen=True):
    """Do the edits, and answer. No rule is triggered by them."""

    edits: Edits


class Fired(Struct, frozen=True):
    """A rule's condition held: its actions are on the schedule, as a unit of their own."""

    unit: Unit
    delta: DeltaTerms | None


class Executed(Struct, frozen=True):
    """An action of a unit was executed: what it asked for, and what has really changed."""

    unit: int
    action: AnyAction
    planned: ActionEdits
    changes: Changes


class Ended(Struct, frozen=True):
    """Units whose fate is decided. A committed one may still be compensated later."""

    units: tuple[Unit, ...]


class Finished(Struct, frozen=True):
    """Nothing is left to do."""


Effect = Apply | Compensate | Fired | Executed | Ended | Finished
