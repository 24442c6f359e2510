"""A super-peer's execution of transactions, without I/O: inputs in, effects out.

coordinator.join(now, "ann", site.stream.next_serial)
unit, effects = coordinator.submit(now, "ann", updates)
effects = coordinator.reply(now, "ann", site.receive(request))   # or site.change(updates)
effects = coordinator.receive(now, "SP2", message)
effects = coordinator.tick(now)                       # a few times a second
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import get_args

from triplewire.errors import UpdateRefused
from triplewire.federation.effects import Effect
from triplewire.federation.execution import firing, messages, ordering, reports
from triplewire.federation.execution.aborting import abort
from triplewire.federation.execution.conditions import deferral, sub_queries
from triplewire.federation.execution.effects import Happening, ToPeer, UnitScheduled
from triplewire.federation.execution.lanes import Lane, Phase
from triplewire.federation.execution.state import ExecutionState, Surroundings
from triplewire.federation.execution.units import PendingAction, Status, Unit
from triplewire.federation.execution.update_phases import advance, has_waited_for_rules
from triplewire.federation.sites.privileges import Privileges
from triplewire.federation.sites.requests import FromPeer, Matched
from triplewire.languages.rdftl.syntax import Update
from triplewire.rules.execution.units import Work

Effects = list[Effect | ToPeer | Happening]
Said = (
    messages.ActionInstance
    | messages.ChildScheduled
    | messages.AbortWanted
    | messages.SubQuery
    | messages.SubAnswer
    | messages.Conflicts
    | messages.Withdrawn
)
SAID: tuple[type, ...] = get_args(Said)


class Coordinator:
    """The local schedule of one super-peer, and its part of the abort graph and of the serialisation graph."""

    def __init__(self, given: Surroundings, privileges: Privileges) -> None:
        self.state = ExecutionState(given, privileges)

    # Peers. The group index follows them before.

    def join(self, now: float, peer: str, next_serial: int) -> Effects:
        """A peer is here, for the first time or again. What it was asked before it left, it is asked again."""
        self.state.now = now
        lane = self.state.lanes.setdefault(peer, Lane(peer))
        lane.is_here = True
        reports.joined(lane, next_serial)
        if lane.outstanding is not None:
            lane.sent_at = now
            self.state.emit(ToPeer(peer, lane.outstanding))
        return self._settle()

    def leave(self, now: float, peer: str) -> Effects:
        """A peer is gone. What it was doing is compensated when it returns, if it does not return soon."""
        self.state.now = now
        lane = self.state.lanes[peer]
        lane.is_here, lane.gone_since = False, now
        sub_queries.peer_left(self.state, peer)
        return self._settle()

    # Transactions

    def submit(self, now: float, peer: str, updates: Iterable[Update], author: str = "") -> tuple[str, Effects]:
        """A transaction of one of our peers; returns its name. Raises `UnknownName`."""
        state = self.state
        state.now = now
        if peer not in state.given.group:
            raise UpdateRefused(wanted=f"a peer of {state.given.me}", found=f"{peer!r}, who is not here")
        declared = state.given.group[peer].declared
        whole = tuple(state.given.whole.resolved_update(update, declared) for update in updates)
        name = state.number()
        pending = [PendingAction(update.action, update.lets) for update in whole]
        state.units[name] = Unit(name, name, name, None, None, 0, peer, name, pending, since=now, author=author)
        state.units[name].members.append(name)
        state.work[name] = Work(None, whole)
        state.emit(UnitScheduled(name, name, None, None, peer))
        state.lanes[peer].ready.append(name)
        return name, self._settle()

    def abort(self, now: float, unit: str, reason: str) -> Effects:
        """Abort a unit, and whoever aborts with it."""
        self.state.now = now
        abort(self.state, unit, reason)
        return self._settle()

    # Messages

    def reply(self, now: float, peer: str, answer: FromPeer) -> Effects:
        """A peer has answered, or has changed by itself."""
        self.state.now = now
        lane = self.state.lanes[peer]
        if isinstance(answer, Matched):
            reports.matched(self.state, lane, answer)
        else:
            reports.heard(self.state, lane, answer)
        return self._settle()

    def receive(self, now: float, sender: str, message: Said) -> Effects:
        """Another super-peer has said something."""
        state = self.state
        state.now = now
        match message:
            case messages.ActionInstance():
                firing.instance_received(state, sender, message)
            case messages.ChildScheduled():
                firing.child_scheduled(state, message)
            case messages.AbortWanted(target, reason, upward):
                abort(state, target, reason, upward=upward)
            case messages.SubQuery():
                sub_queries.serve(state, sender, message)
            case messages.SubAnswer():
                sub_queries.remote_answer(state, message)
            case messages.Conflicts():
                ordering.told(state, sender, message)
            case messages.Withdrawn(group):
                state.order.withdraw(now, group)
        return self._settle()

    def look_again(self, now: float) -> Effects:
        """Rules have come, or have been asked for in vain: a change may have waited for that."""
        self.state.now = now
        return self._settle()

    def is_due(self, now: float) -> bool:
        """Whether a tick would do anything."""
        return (
            sub_queries.is_due(self.state, now)
            or any(self._is_lane_due(now, lane) for lane in self.state.lanes.values())
            or self._may_forget(now - self.state.given.timings.remember)
        )

    def tick(self, now: float) -> Effects:
        """Do what is due."""
        state, timings = self.state, self.state.given.timings
        state.now = now
        sub_queries.tick(state)
        for lane in state.lanes.values():
            if lane.outstanding is not None and lane.is_unanswered(now, timings.retry):
                lane.sent_at = now
                state.emit(ToPeer(lane.peer, lane.outstanding))
            if lane.is_absent(now, timings.absence):
                for unit in self._active_at(lane):
                    abort(state, unit.id, f"its peer {lane.peer} is gone")
        self._forget(now - timings.remember)
        return self._settle()

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is left to do here, other than at peers that are gone."""
        state = self.state
        lanes_idle = all(lane.is_idle for lane in state.lanes.values() if lane.is_here)
        return lanes_idle and not state.conditions and not state.served

    # Private

    def _settle(self) -> Effects:
        """Do everything that can be done now."""
        state = self.state
        busy = True
        while busy:
            busy = deferral.go_on(state)
            while state.victims:
                abort(state, state.victims.pop(), "the order of what it did with others cannot be serialised")
                busy = True
            for lane in state.lanes.values():
                while advance(state, lane):
                    busy = True
        for lane in state.lanes.values():
            reports.forget(state, lane)
        return state.taken()

    def _is_lane_due(self, now: float, lane: Lane) -> bool:
        timings, update = self.state.given.timings, lane.update
        if lane.is_absent(now, timings.absence):
            return bool(self._active_at(lane))
        if update is not None and update.phase is Phase.RULES and lane.is_here:
            return has_waited_for_rules(self.state, update, now)
        return lane.is_unanswered(now, timings.retry)

    def _active_at(self, lane: Lane) -> list[Unit]:
        """Those that wait for a peer and can abort: what is sealed waits for as long as it takes."""
        loose = (unit for unit in self.state.units.values() if unit.peer == lane.peer and not unit.is_sealed)
        return [unit for unit in loose if unit.status is Status.ACTIVE]

    def _may_forget(self, before: float) -> bool:
        state = self.state
        return (
            any(lane.journal.may_forget(before, self._is_ended) for lane in state.lanes.values())
            or bool(self._old_units(before))
            or state.may_forget_noted(before)
            or state.order.may_forget(before)
        )

    def _forget(self, before: float) -> None:
        """Forget what has ended long ago: nobody will abort it any more."""
        state = self.state
        for lane in state.lanes.values():
            lane.journal.forget(before, self._is_ended)
        old = self._old_units(before)
        state.aborts.forget(old)
        for name in old:
            del state.units[name]
            del state.ended[name]
            state.work.pop(name, None)
        state.forget_noted(before)
        state.order.forget(before)

    def _old_units(self, before: float) -> list[str]:
        state = self.state
        # In the order in which they ended.
        old = takewhile(lambda name: state.ended[name] < before, state.ended)
        return [name for name in old if name not in state.lane_of(state.units[name]).undone]

    def _is_ended(self, name: str) -> bool:
        unit = self.state.local(name)
        return unit is None or unit.status is not Status.ACTIVE
