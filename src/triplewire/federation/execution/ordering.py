"""Who has met whom at a peer: noted in its journal, and shared with those who coordinate the two."""

from __future__ import annotations

from collections.abc import Iterable

from triplewire.federation.execution.journal import Journal, Who
from triplewire.federation.execution.messages import Conflicts, Withdrawn
from triplewire.federation.execution.serialisation import Edge
from triplewire.federation.execution.state import ExecutionState
from triplewire.federation.execution.units import check_names, super_peer_of
from triplewire.federation.sites.requests import Executed
from triplewire.rules.graphs import Lookup


def note_read(state: ExecutionState, peer: str, who: Who, lookups: Iterable[Lookup]) -> None:
    """Somebody has asked a peer."""
    journal = state.lanes[peer].journal
    _order(state, journal, journal.read(state.now, who, lookups).number)


def note_write(state: ExecutionState, peer: str, who: Who, done: Executed) -> None:
    """Somebody has changed a peer's repository, and read in it on the way."""
    journal = state.lanes[peer].journal
    since = journal.read(state.now, who, done.reads).number
    journal.read(state.now, who, done.checks, is_check=True)
    journal.wrote(state.now, who, done.wanted, done.changes)
    _order(state, journal, since)


def told(state: ExecutionState, sender: str, edges: Iterable[Edge]) -> None:
    """Another super-peer knows of conflicts."""
    pairs = list(edges)
    check_names(*(name for pair in pairs for name in pair))
    _take(state, pairs, sender)


def withdraw(state: ExecutionState, group: str) -> None:
    """Something has aborted: others need not be ordered with it any more."""
    for other in sorted(state.order.withdraw(state.now, group)):
        state.send(other, Withdrawn(group))


def _order(state: ExecutionState, journal: Journal, since: int) -> None:
    _take(state, list(journal.conflicts(since, state.commute)), None)


def _take(state: ExecutionState, edges: list[Edge], sender: str | None) -> None:
    if not edges:
        return
    for other, untold in state.order.add(state.now, edges, sender).items():
        state.send(other, Conflicts(untold))
    mine = state.given.me
    state.victims += [victim for victim in state.order.victims(edges) if super_peer_of(victim) == mine]
