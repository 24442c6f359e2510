"""Who has met whom at a peer: noted in its journal, and shared with those who coordinate the two."""

from __future__ import annotations

from collections.abc import Iterable

from triplewire.federation.execution.effects import NotSerialisable
from triplewire.federation.execution.journal import Journal, Who
from triplewire.federation.execution.messages import Conflicts, Withdrawn
from triplewire.federation.execution.serialisation import Edge
from triplewire.federation.execution.state import ExecutionState
from triplewire.federation.execution.units import age, check_names, super_peer_of
from triplewire.federation.sites.requests import Executed, Report
from triplewire.rules.graphs import Lookup


def note_read(state: ExecutionState, peer: str, who: Who, lookups: Iterable[Lookup], *, of: int | None = None) -> None:
    """Somebody has asked a peer, about the state right after the entry `of` of its journal, or about the last one."""
    journal = state.lanes[peer].journal
    _order(state, journal, journal.read(state.now, who, lookups, state=of))


def note_write(state: ExecutionState, peer: str, who: Who, done: Executed | Report) -> int:
    """Somebody has changed a peer's repository, and read in it on the way; returns the number of the entry."""
    journal = state.lanes[peer].journal
    since = journal.read(state.now, who, done.reads)
    journal.read(state.now, who, done.checks, is_check=True)
    number = journal.wrote(state.now, who, done.wanted, done.changes).number
    _order(state, journal, since)
    return number


def seal(state: ExecutionState, name: str) -> None:
    """Nothing can undo a unit of ours. It is new, so nobody has met it."""
    state.order.seal(state.now, [name])


def told(state: ExecutionState, sender: str, message: Conflicts) -> None:
    """Another super-peer knows of conflicts, and of what nothing can undo."""
    pairs = list(message.edges)
    check_names(*message.sealed, *(name for pair in pairs for name in pair))
    around = state.order.seal(state.now, message.sealed, sender)
    _take(state, pairs, sender, around)


def withdraw(state: ExecutionState, group: str) -> None:
    """Something has aborted: others need not be ordered with it any more."""
    for other in sorted(state.order.withdraw(state.now, group)):
        state.send(other, Withdrawn(group))


def _order(state: ExecutionState, journal: Journal, since: int) -> None:
    _take(state, list(journal.conflicts(since, state.commute)), None)


def _take(state: ExecutionState, edges: list[Edge], sender: str | None, around: tuple[Edge, ...] = ()) -> None:
    """Take edges, and look for cycles through them, and through those `around` what is sealed now."""
    for other, untold in state.order.add(state.now, edges, sender).items():
        state.send(other, Conflicts(untold.edges, untold.sealed))
    mine, verdict = state.given.me, state.order.judge(state.now, (*edges, *around))
    state.victims += [victim for victim in verdict.victims if super_peer_of(victim) == mine]
    for cycle in verdict.unbreakable:
        if super_peer_of(max(cycle, key=age)) == mine:
            state.emit(NotSerialisable(cycle))
