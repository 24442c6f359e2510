"""What a schedule of the living graph means to rules across super-peers: what it wanted, and its updates one by one."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from triplewire.federation.sites.planning import as_kept
from triplewire.federation.sites.requests import Lookups, ReportedUpdate
from triplewire.rules.changes import Changes, Edits, last_word
from triplewire.rules.execution import ScheduleOutcome, Status
from triplewire.rules.execution.trace import ExecutedAction, TraceEntry
from triplewire.rules.execution.units import ReadSet


class GraphOutcome(Struct, frozen=True):
    """What has become of the default graph: other graphs are not shared."""

    wanted: Edits
    updates: tuple[ReportedUpdate, ...]
    changes: Changes
    reads: Lookups
    checks: Lookups

    @property
    def is_nothing(self) -> bool:
        """Whether nothing was even asked for."""
        return not self.wanted and not self.changes


def of_default_graph(outcome: ScheduleOutcome) -> GraphOutcome:
    """What a schedule has done to the default graph, rules included."""
    committed = [entry for entry in outcome.entries if entry.status is Status.COMMITTED]
    actions = sorted((action for entry in committed for action in entry.actions), key=lambda action: action.order)
    changes = without_named(outcome.changes)
    return GraphOutcome(
        wanted=as_kept(last_word(action.planned.edits for action in actions)),
        updates=_updates(outcome, actions, changes),
        changes=changes,
        reads=_lookups(read for entry in committed for read in entry.reads),
        checks=_lookups(read for entry in committed for read in entry.checks),
    )


def _updates(
    outcome: ScheduleOutcome, actions: Iterable[ExecutedAction], changes: Changes
) -> tuple[ReportedUpdate, ...]:
    if any(_has_changed(entry) for entry in outcome.aborted):
        # What was compensated stands between the others, and they do not come to what is there without it.
        return (ReportedUpdate(changes),)
    found = ((without_named(action.changes), action.planned.moved) for action in actions)
    return tuple(ReportedUpdate(changed, moved) for changed, moved in found if changed or changed.edits)


def _has_changed(entry: TraceEntry) -> bool:
    return any(not action.changes.is_nothing for action in entry.actions)


def without_named(changes: Changes) -> Changes:
    """Changes of the default graph alone."""
    if not changes.edits.named:
        return changes
    return Changes(Edits(changes.edits.inserted, changes.edits.deleted), changes.inserted, changes.deleted)


def _lookups(reads: Iterable[ReadSet]) -> Lookups:
    return tuple(dict.fromkeys(lookup for read in reads for lookup in read.lookups))
