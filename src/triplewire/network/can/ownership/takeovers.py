"""Takeovers: the zones of the failed go to whoever keeps their replica, or to the next in turn; holes are filled.

Nobody decides who takes over: two may do it at once, and the ranks tell them apart. A replica whose owner is gone, and
whose zones others own, is deposited with them.
"""

from __future__ import annotations

from triplewire.network.can.effects import Effect, Send, TakenOver
from triplewire.network.can.geometry.space import Box, Dimension, Interval
from triplewire.network.can.messages import Claim, Replica, ReplicaAck, ReplicaKept, ReplicaObsolete
from triplewire.network.can.ownership.claims import minus, without
from triplewire.network.can.ownership.deposits import Deposits
from triplewire.network.can.ownership.giving import Giver
from triplewire.network.can.ownership.heartbeats import Heartbeats
from triplewire.network.can.ownership.kept_replicas import KeptReplicas
from triplewire.network.can.ownership.neighbours import Member, candidates
from triplewire.network.can.ownership.state import Stage, State

_NEVER = float("-inf")
# Who hears from nobody at all waits for so many times `fail_after`.
_ISOLATED = 10
# For so many times `fail_after` nobody owns the other side of a border before it is taken.
_HOLE = 6
# So many times `fail_after` after its owner was last heard from, a replica is deposited.
_GONE = 3


class Takeovers:
    """What one node takes from the failed, and the replicas that it keeps."""

    def __init__(
        self, state: State, kept: KeptReplicas, deposits: Deposits, heartbeats: Heartbeats, giver: Giver
    ) -> None:
        self._state = state
        self._kept = kept
        self._deposits = deposits
        self._heartbeats = heartbeats
        self._giver = giver
        self._heard: dict[str, float] = {}
        self._asked: dict[str, float] = {}
        self._depositing: set[str] = set()
        self._hole_since: float | None = None
        self._looked_at = _NEVER
        self.is_changed = False
        """Whether something was merged: then our own replica begins anew."""

    # Replicas that we keep

    def keep(self, now: float, sender: str, part: Replica) -> list[Effect]:
        address = self._state.table.members.get(sender)
        if address is None:
            return []
        self._heard[sender] = now
        effects: list[Effect] = [Send(address, self._kept.receive(sender, part))]
        if part.record is not None and part.record.id == sender:
            self._state.table.saw(now, sender, heard=True)
            effects += self._heartbeats.learn(now, [part.record], sender)
        return effects

    def heard(self, now: float, sender: str) -> list[Effect]:
        """An owner lives: see whether we keep what it thinks that we keep."""
        record, address = self._state.table.record(sender), self._state.table.members.get(sender)
        if record is None or address is None:
            return []
        self._heard[sender] = now
        kept = [replica.generation for replica in self._kept.of(sender)]
        if record.holder == self._state.me.id:
            return [] if record.generation in kept else [Send(address, ReplicaAck(record.generation, -1))]
        if kept and record.generation > kept[-1]:
            self._kept.drop(sender, before=record.generation)
        return []

    def asked(self, sender: str, kept: ReplicaKept) -> list[Effect]:
        """Somebody keeps a replica of ours: say so if it is complete elsewhere."""
        record, address = self._state.record, self._state.table.members.get(sender)
        if address is None or record.generation <= kept.generation or record.holder == sender:
            return []
        return [Send(address, ReplicaObsolete(record.generation))]

    def obsolete(self, sender: str, message: ReplicaObsolete) -> None:
        self._kept.drop(sender, before=message.generation)

    def tend(self, now: float) -> list[Effect]:
        """Ask after the owners of replicas; deposit those of owners who are gone."""
        effects: list[Effect] = []
        state = self._state
        for owner in self._kept.owners:
            member = state.table.all.get(owner)
            since = max(self._heard.setdefault(owner, now), _NEVER if member is None else member.heard)
            if now - since > _GONE * state.timings.fail_after and owner not in self._depositing:
                effects += self._deposit(owner)
            elif self._is_unconfirmed(owner) and now - self._asked.get(owner, _NEVER) > state.timings.suspect_after:
                self._asked[owner] = now
                address = state.table.members.get(owner)
                if address is not None:
                    effects.append(Send(address, ReplicaKept(self._kept.of(owner)[-1].generation)))
        return effects

    def _is_unconfirmed(self, owner: str) -> bool:
        record = self._state.table.record(owner)
        return record is None or record.holder != self._state.me.id or owner not in self._state.table.known

    def _deposit(self, owner: str) -> list[Effect]:
        """Its owner is gone: send what it had under way, and all contents to whoever owns them now."""
        self._depositing.add(owner)
        boxes = _boxes(self._kept, owner)
        marks = [(kept.generation, kept.next) for kept in self._kept.of(owner)]
        for chunk in self._kept.chunks(owner):
            self._state.contents.adopt(chunk)
        self._deposits.add(boxes, self._kept.chunks(owner), lambda: self._deposited(owner, marks))
        self.is_changed = True
        return [TakenOver(owner, (), True)]

    def _deposited(self, owner: str, marks: list[tuple[tuple[int, int], int]]) -> None:
        self._depositing.discard(owner)
        if marks == [(kept.generation, kept.next) for kept in self._kept.of(owner)]:
            self._kept.drop(owner)

    # Failures

    def take_over(self, now: float) -> list[Effect]:
        effects: list[Effect] = []
        for node, member in list(self._state.table.known.items()):
            if node in self._state.table.known and self._is_ours_to_take(now, node, member):
                effects += self._take_zones_of(now, member)
        return effects

    def is_isolated(self, now: float, silent: str = "") -> bool:
        """Whether we hear from none of several neighbours, besides one that is known to be silent."""
        others = [other for other in self._state.table.known if other != silent]
        return len(others) + bool(silent) > 1 and not any(self._state.table.is_alive(now, other) for other in others)

    def _is_ours_to_take(self, now: float, node: str, member: Member) -> bool:
        """Candidates take their turns, so that one is enough; who hears from nobody at all waits for longer."""
        silent = now - member.evidence
        if silent <= self._state.timings.fail_after or not self._state.is_in:
            return False
        turn = self._turn(node, member) + (_ISOLATED if self.is_isolated(now, node) else 1)
        return silent > turn * self._state.timings.fail_after

    def _turn(self, node: str, member: Member) -> int:
        """Who keeps a complete replica is first; the others follow in an order that is the same to everybody."""
        if any(kept.is_complete for kept in self._kept.of(node)):
            return 0
        me, table = self._state.me.id, self._state.table
        gone = {gone.record.id for gone in table.departed()}
        order = sorted(
            candidates(node, {*member.around, me} - {node} - gone), key=lambda found: found != member.record.holder
        )
        return 1 + min(order.index(me), 4) + (self._state.stage is Stage.LEAVING)

    def _take_zones_of(self, now: float, member: Member) -> list[Effect]:
        state, owner = self._state, member.record.id
        kept = self._kept.of(owner)
        boxes = _boxes(self._kept, owner)
        taken = self._left_of(member)
        has_met = any(box.touches(zone) for box in boxes for zone in (*state.zones, *state.orphans))
        state.table.depart(now, owner)
        state.unrest_at = now
        if not taken and not kept:
            return []
        state.own(now, [*state.claims, *taken])
        effects: list[Effect] = [TakenOver(owner, tuple(claim.zone for claim in taken), bool(kept))]
        if kept and (has_met or owner in self._depositing):
            effects += [] if owner in self._depositing else self._deposit(owner)
        elif kept:
            effects += self._merge(now, owner, boxes)
        self.is_changed = True
        for replica in kept[-1:]:
            effects += self._heartbeats.learn(now, replica.neighbours, owner)
        return effects

    def _left_of(self, member: Member) -> tuple[Claim, ...]:
        """What nobody else has of a failed node's zones, as claims of ours."""
        state = self._state
        found: list[Claim] = []
        for claim in member.record.claims:
            others = [
                theirs.zone
                for other in state.table.overlapping([claim], member.record.id)
                for theirs in other.record.claims
                if theirs.epoch > claim.epoch or (other.record.id in state.table.known and theirs.epoch == claim.epoch)
            ]
            found += without([Claim(claim.zone, claim.epoch + 1)], [*others, *state.zones])
        return tuple(found)

    def _merge(self, now: float, owner: str, boxes: list[Box]) -> list[Effect]:
        """Add a replica to our own store. What is not in our zones belongs to others."""
        state = self._state
        former = [box for kept in self._kept.of(owner) for box in kept.former]
        effects = [effect for chunk in self._kept.chunks(owner) for effect in self._giver.merge(now, chunk)]
        self._kept.drop(owner)
        for box in minus(former, [*boxes, *state.zones, *state.orphans]):
            state.contents.discard(box)
        state.orphan(boxes)
        return effects

    # Holes

    def fill_holes(self, now: float) -> list[Effect]:
        """Nobody owns the other side of a border, for long: take it, below everybody who may own it after all."""
        state = self._state
        if state.stage is not Stage.IN or now - self._looked_at < state.timings.suspect_after:
            return []
        self._looked_at = now
        gaps = state.table.gaps()
        if not gaps or self.is_isolated(now):
            self._hole_since = None
            return []
        if self._hole_since is None:
            self._hole_since = now + state.rng.uniform(0, 2) * state.timings.fail_after
        if now - self._hole_since <= _HOLE * state.timings.fail_after:
            return []
        self._hole_since = None
        taken = self._behind(gaps)
        if taken:
            state.unrest_at = now
            state.own(now, [*state.claims, *(Claim(box, 0) for box in taken)])
        return [TakenOver("", tuple(taken), False)] if taken else []

    def _behind(self, gaps: list[tuple[Box, Dimension, bool]]) -> list[Box]:
        state = self._state
        claimed = [
            claim.zone
            for member in state.table.all.values()
            if member.departed is None
            for claim in member.record.claims
        ]
        found: list[Box] = []
        for piece, at, is_above in gaps:
            beyond = Interval(piece[at].upper or b"", None) if is_above else Interval(b"", piece[at].lower)
            hole = minus([piece.with_side(at, beyond)], [*claimed, *state.zones, *found])
            found += [box for box in hole if box.adjoins(piece)]
        return found


def _boxes(kept: KeptReplicas, owner: str) -> list[Box]:
    """Where what we keep for an owner lies, in all generations."""
    found: list[Box] = []
    for replica in reversed(kept.of(owner)):
        found += minus(replica.boxes, found)
    return found
