"""Membership: join, leave, be declared failed, and rejoin.

A newcomer asks any member, which assigns it a place and broadcasts the change. Where two tables differ nevertheless,
which their digests show, they are exchanged whole.

A packet from a member that was declared failed is answered with the table (`Expelled`). That member then refutes it, in
a higher incarnation. Only where both sides have declared each other failed, after a partition into two networks, one
side takes the other's table and rejoins, member by member: the one with fewer members, or at a tie the one without the
smallest identifier. So the other side does not have to move.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from random import Random

import msgspec

from triplewire.network.effects import Action, SendMessage, SendPacket
from triplewire.network.hypercube.members import Members
from triplewire.network.messages import (
    Alive,
    Expelled,
    Join,
    JoinAccepted,
    Member,
    MembershipChange,
    MembershipTable,
    MemberStatus,
)
from triplewire.network.timings import Timings


class Stage(Enum):
    """The state of a super-peer's own membership."""

    OUTSIDE = "outside"
    JOINING = "joining"
    IN = "in"
    LEFT = "left"


class Membership:
    """One super-peer's membership. `watermarks` has its position for each origin."""

    def __init__(
        self, me: Member, known: Sequence[Member], watermarks: dict[str, int], rng: Random, timings: Timings
    ) -> None:
        self.me = me
        self.members = Members(known)
        self.stage = Stage.OUTSIDE
        self.watermarks = watermarks
        self._rng = rng
        self._timings = timings
        self._seeds: list[str] = []
        self._requested_at = float("-inf")
        self._joining_since = 0.0
        self._changed_at: float | None = None
        self._announced_at = float("-inf")
        self._rejected_at: dict[str, float] = {}

    # Joining

    def resume_as(self, known: Member) -> None:
        """Continue after a restart as the member that the others know."""
        self.me = msgspec.structs.replace(
            known, address=self.me.address, incarnation=known.incarnation + 1, status=MemberStatus.ALIVE
        )

    def found_network(self) -> list[Action]:
        """Found a network of one."""
        self.me = msgspec.structs.replace(self.me, claim=0)
        self.members.replace([self.me])
        self.stage = Stage.IN
        return []

    def use_saved_members(self) -> list[Action]:
        """Start with the saved members, without joining."""
        self.me = self.members.get(self.me.id) or self.me
        self.stage = Stage.IN
        return []

    def join(self, now: float, seeds: Sequence[str]) -> list[Action]:
        """Ask at these addresses in turn, until a member answers with `JoinAccepted`."""
        self.stage = Stage.JOINING
        self._seeds = list(seeds)
        self._joining_since, self._requested_at = now, float("-inf")
        return self.tick(now)

    def join_requested(self, now: float, sender: str, join: Join) -> list[Action]:
        """Handle a join: assign a place and broadcast it, unless that was done before."""
        if self.stage is not Stage.IN or sender != join.member.id or sender == self.me.id:
            return []
        known = self.members.get(sender)
        if known is None or known.status is not MemberStatus.ALIVE or known.incarnation < join.member.incarnation:
            return self._integrate(now, join.member, known)
        return [self._welcome(known)]

    def welcomed(self, now: float, welcome: JoinAccepted) -> list[Action]:
        """Handle the answer to our join."""
        mine = next((member for member in welcome.members if member.id == self.me.id), None)
        if self.stage is not Stage.JOINING or mine is None or mine.incarnation < self.me.incarnation:
            return []
        self.me = mine
        self.members.replace(welcome.members)
        for origin, position in welcome.watermarks.items():
            self.watermarks.setdefault(origin, position)
        self.stage = Stage.IN
        self._changed_at = now
        return []

    def tick(self, now: float) -> list[Action]:
        """Retry to join, or resume with the saved members if nobody answers; announce and claim when due."""
        if self.stage is Stage.JOINING:
            return self._request_join(now)
        if self.stage is not Stage.IN:
            return []
        actions = self._announce_alive(now)
        if self._changed_at is not None and now - self._changed_at > self._timings.heartbeat * 2:
            self._changed_at = None
            actions += self._claim_place(now)
        return actions

    # Changes

    def apply_changes(self, now: float, change: MembershipChange) -> list[Action]:
        """Merge changed records, and forward those that were newer."""
        newer = self._merge(now, change.members)
        if not newer or self.stage is not Stage.IN:
            return []
        return [*self._forward(MembershipChange(newer, change.dimension, change.hops)), *self._refute_failure(now)]

    def exchange_tables(self, now: float, sender: str, table: MembershipTable) -> list[Action]:
        """Merge another table, broadcast what was newer, and answer with ours if asked to."""
        newer = self._merge(now, table.members)
        actions = (
            [*self._forward(MembershipChange(newer)), *self._refute_failure(now)]
            if newer and self.stage is Stage.IN
            else []
        )
        return (
            [*actions, SendMessage(sender, MembershipTable(self.members.all, wants=False))] if table.wants else actions
        )

    def declare_failed(self, now: float, member_id: str) -> list[Action]:
        """Declare a member failed."""
        known = self.members.get(member_id)
        if known is None or known.status is not MemberStatus.ALIVE:
            return []
        return self._broadcast(now, msgspec.structs.replace(known, status=MemberStatus.FAILED))

    def leave(self, now: float) -> list[Action]:
        """Tell one neighbour, which broadcasts it: the broadcast goes through the cube without us."""
        place = self.members.place_of.get(self.me.id)
        self.stage = Stage.LEFT
        if place is None or len(self.members.places) == 1:
            return []
        neighbour = self.members.places[self.members.cube.neighbours(place)[-1]]
        return [SendMessage(neighbour, MembershipChange((msgspec.structs.replace(self.me, status=MemberStatus.LEFT),)))]

    # Members that were declared failed

    def reject_sender(self, now: float, sender: str, address: str | None, strength: int) -> list[Action]:
        """Answer a sender that is not, or no longer, a member with the table, at a limited rate."""
        if self.stage is not Stage.IN or address is None:
            return []
        if now - self._rejected_at.get(sender, float("-inf")) < self._timings.retry:
            return []
        self._rejected_at[sender] = now
        return [SendPacket(address, Expelled(self.members.all, strength))]

    def expelled(self, now: float, sender: str, theirs: Expelled, strength: int) -> list[Action]:
        """Others have declared us failed: refute it, or rejoin, unless they are the ones to rejoin us."""
        if self.stage is not Stage.IN:
            return []
        table = Members(theirs.members)
        if table.is_alive(self.me.id) or not table.places:
            return []
        if self.members.is_alive(sender):
            return self._refute(now, table.get(self.me.id), sender)
        if (strength, _smallest(table)) > (theirs.strength, _smallest(self.members)):
            return self.reject_sender(now, sender, self._address_of(sender), strength)
        return self._rejoin(now, table)

    def alive_received(self, now: float, sender: str, alive: Alive, strength: int) -> list[Action]:
        """Handle the announcement of a member that may have been declared failed, or forgotten."""
        if self.stage is not Stage.IN or sender != alive.member.id:
            return []
        newer = self._merge(now, [alive.member])
        if newer:
            return self._forward(MembershipChange(newer))
        return [] if self.members.is_alive(sender) else self.reject_sender(now, sender, alive.member.address, strength)

    # Private

    def _request_join(self, now: float) -> list[Action]:
        if now - self._requested_at < self._timings.retry:
            return []
        if len(self.members.places) > 1 and now - self._joining_since > self._timings.resume_after:
            return self._resume(now)
        self._requested_at = now
        if not self._seeds:
            return []
        seed = self._seeds.pop(0)
        self._seeds.append(seed)
        return [SendPacket(seed, Join(self.me))]

    def _resume(self, now: float) -> list[Action]:
        """Nobody answers: the whole network may have been down. Resume with the saved table."""
        known = self.members.get(self.me.id)
        incarnation = max(self.me.incarnation, known.incarnation + 1 if known else 1)
        claim = known.claim if known else self.members.free_claim()
        self.me = msgspec.structs.replace(self.me, incarnation=incarnation, claim=claim, status=MemberStatus.ALIVE)
        self.stage = Stage.IN
        return self._broadcast(now, self.me)

    def _integrate(self, now: float, asking: Member, known: Member | None) -> list[Action]:
        was_alive = known is not None and known.status is MemberStatus.ALIVE
        claim = known.claim if known is not None and was_alive else self.members.free_claim()
        incarnation = max(asking.incarnation, known.incarnation + 1 if known else 1)
        start = known.start if known else asking.start
        member = msgspec.structs.replace(
            asking, claim=claim, incarnation=incarnation, status=MemberStatus.ALIVE, start=start
        )
        return [*self._broadcast(now, member), self._welcome(member)]

    def _welcome(self, member: Member) -> Action:
        return SendPacket(member.address, JoinAccepted(self.members.all, dict(self.watermarks)))

    def _broadcast(self, now: float, member: Member) -> list[Action]:
        self._merge(now, [member])
        return self._forward(MembershipChange((member,)))

    def _forward(self, change: MembershipChange) -> list[Action]:
        place = self.members.place_of.get(self.me.id)
        if place is None:
            return []
        ways = self.members.cube.onward(place, change.dimension)
        return [
            SendMessage(self.members.places[other], MembershipChange(change.members, dimension, change.hops + 1))
            for dimension, other in ways
        ]

    def _merge(self, now: float, change: Sequence[Member]) -> tuple[Member, ...]:
        newer = self.members.merge(change)
        if newer:
            self._changed_at = now
        for member in newer:
            self.watermarks.setdefault(member.id, member.start)
            if member.id == self.me.id:
                self.me = member
        return newer

    def _refute(self, now: float, claimed: Member | None, sender: str | None = None) -> list[Action]:
        """Refute that we failed, in a higher incarnation than the others know."""
        known = claimed.incarnation if claimed is not None else 0
        me = msgspec.structs.replace(
            self.me, status=MemberStatus.ALIVE, incarnation=max(self.me.incarnation, known + 1)
        )
        actions = self._broadcast(now, me)
        self.me = me
        address = None if sender is None else self._address_of(sender)
        return actions if address is None else [*actions, SendPacket(address, Alive(me))]

    def _refute_failure(self, now: float) -> list[Action]:
        return self._refute(now, self.me) if self.me.status is not MemberStatus.ALIVE else []

    def _rejoin(self, now: float, table: Members) -> list[Action]:
        """Take the table of the others, and join them as a newcomer."""
        known = table.get(self.me.id)
        incarnation = max(self.me.incarnation, known.incarnation if known else 0) + 1
        self.members.replace(table.all)
        self.me = msgspec.structs.replace(self.me, incarnation=incarnation, status=MemberStatus.ALIVE)
        seeds = [member.address for member in table.all if member.status is MemberStatus.ALIVE]
        self._rng.shuffle(seeds)
        return self.join(now, seeds)

    def _announce_alive(self, now: float) -> list[Action]:
        """Announce ourselves to a random member from time to time.

        The member that admitted us may have failed, or have taken the table of others, before its broadcast had spread:
        then nobody knows us, nor our address to tell us so.
        """
        if now - self._announced_at < self._timings.probe_failed_every or len(self.members.places) < 2:
            return []
        self._announced_at = now
        other = self.members.get(self._rng.choice(self.members.places))
        return [] if other is None or other.id == self.me.id else [SendPacket(other.address, Alive(self.me))]

    def _claim_place(self, now: float) -> list[Action]:
        """Claim the place that we have got, so that the next change moves nobody without need."""
        place = self.members.place_of.get(self.me.id)
        if place is None or place == self.me.claim:
            return []
        self.me = msgspec.structs.replace(self.me, claim=place, incarnation=self.me.incarnation + 1)
        return self._broadcast(now, self.me)

    def _address_of(self, member_id: str) -> str | None:
        member = self.members.get(member_id)
        return None if member is None else member.address


def _smallest(members: Members) -> str:
    return min(members.places, default="")
