"""Balance: who stores next to nothing gives its zones to neighbours, and joins again where most is stored.

A newcomer splits a zone at the median of its data. Where there was none yet, the data that comes later may lie all at
one node: terms begin alike. So a node with little beside the one that has most, as far as it knows, moves. Only the
lightest moves, one after the other, and each waits for longer from move to move, so that it ends.
"""

from __future__ import annotations

from triplewire.network.can.effects import Effect
from triplewire.network.can.ownership.giving import Giver
from triplewire.network.can.ownership.joins import Joins
from triplewire.network.can.ownership.state import Stage, State

_NEVER = float("-inf")
# Whoever stores less than this is left alone, and nobody moves to it.
_LITTLE = 64
# The heaviest has so many times as much as one that moves, at least.
_TIMES = 4
# Of so many members one may move at a time.
_MEMBERS_A_MOVER = 4
# How often the pause after a move is doubled.
_MOST_DOUBLINGS = 6


class Balance:
    """Whether one node should store something else than it does."""

    def __init__(self, state: State, giver: Giver, joins: Joins) -> None:
        self._state = state
        self._giver = giver
        self._joins = joins
        self._unbalanced_since: float | None = None
        self._moving_since: float | None = None
        self._moved_at = _NEVER
        self._moves = 0

    def tick(self, now: float) -> list[Effect]:
        """Move, if that is due."""
        state = self._state
        if self._moving_since is not None:
            return self._go_on(now)
        if state.stage is not Stage.IN or self._giver.under_way or state.orphans or not self._is_light(now):
            self._unbalanced_since = None
            return []
        if self._unbalanced_since is None:
            self._unbalanced_since = now
        pause = state.timings.rebalance_after * (1 << min(self._moves, _MOST_DOUBLINGS))
        if now - max(self._unbalanced_since, self._moved_at) < pause:
            return []
        self._moving_since = self._moved_at = now
        self._moves += 1
        state.update(is_leaving=True)
        return self._joins.hand_over(now)

    # Private

    def _go_on(self, now: float) -> list[Effect]:
        """Give away what is left. It is ours again if nobody takes it in time."""
        state, since = self._state, self._moving_since
        assert since is not None
        is_late = now - since > 2 * state.timings.fail_after
        if state.stage is Stage.IN and state.claims and not is_late:
            return self._joins.hand_over(now)
        self._moving_since = None
        state.update(is_leaving=state.stage is Stage.LEAVING)
        return []

    def _is_light(self, now: float) -> bool:
        """Whether we store next to nothing beside the heaviest that we know of, and are among the lightest."""
        state = self._state
        others = [member.record for member in state.table.lately_alive(now)]
        load = state.load()
        heaviest = max((record.load for record in others), default=0)
        if heaviest < _LITTLE or load * _TIMES >= heaviest:
            if load * _TIMES >= heaviest:
                self._moves = 0
            return False
        movers = max(1, (len(others) + 1) // _MEMBERS_A_MOVER)
        if sum(record.is_leaving for record in others) >= movers or not state.is_calm(now):
            return False
        return sum((record.load, record.id) < (load, state.me.id) for record in others) < movers
