"""Ownership: which zones a node has, and how they come and go.

Zones change hands in three ways. Their owner gives them away (`giving`, `taking`): a newcomer joins, or the owner
leaves. A neighbour takes them over when their owner has been silent, the holder of the replica first (`takeovers`).
Or their owner yields, when it learns that another has them by a greater rank (`heartbeats`).

What is stored is safe whoever wins. A node discards nothing that it does not own any more before a serving owner has
receipted it (`deposits`), and a holder drops no replica before that.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from triplewire.network.can import messages
from triplewire.network.can.contents import Contents
from triplewire.network.can.effects import Effect, Replicated
from triplewire.network.can.geometry.space import SPACE, Box, Point, Zone
from triplewire.network.can.journal import Journal
from triplewire.network.can.messages import Address, Claim, Record
from triplewire.network.can.ownership.balance import Balance
from triplewire.network.can.ownership.deposits import Deposits
from triplewire.network.can.ownership.giving import Giver
from triplewire.network.can.ownership.heartbeats import Heartbeats
from triplewire.network.can.ownership.joins import Joins
from triplewire.network.can.ownership.kept_replicas import KeptReplicas
from triplewire.network.can.ownership.neighbours import NeighbourTable
from triplewire.network.can.ownership.replica_sender import ReplicaSender
from triplewire.network.can.ownership.state import Stage, State
from triplewire.network.can.ownership.takeovers import Takeovers
from triplewire.network.can.ownership.taking import Taker
from triplewire.network.can.timings import Timings

__all__ = ["Ownership", "Stage"]


class Ownership:
    """The zones of one node, and its neighbours. Over a journal that has claims it goes on where it was."""

    def __init__(self, me: Address, contents: Contents, journal: Journal, rng: Random, timings: Timings) -> None:
        self._state = State(me, contents, journal, rng, timings)
        self._deposits = Deposits(self._state)
        self._kept = KeptReplicas(journal)
        self._replica = ReplicaSender(self._state)
        self._giver = Giver(self._state)
        self._taker = Taker(self._state, self._replica, self._giver)
        self._heartbeats = Heartbeats(self._state)
        self._joins = Joins(self._state, self._giver, self._taker)
        self._balance = Balance(self._state, self._giver, self._joins)
        self._takeovers = Takeovers(self._state, self._kept, self._deposits, self._heartbeats, self._giver)
        self._ticked_at: float | None = None
        self._settled: object = None
        self._announced: tuple[Claim, ...] = ()
        self._around: tuple[str, ...] = ()

    # Reading

    @property
    def stage(self) -> Stage:
        return self._state.stage

    @property
    def is_in(self) -> bool:
        return self._state.is_in

    @property
    def claims(self) -> tuple[Claim, ...]:
        return self._state.claims

    @property
    def zones(self) -> tuple[Zone, ...]:
        return self._state.zones

    @property
    def record(self) -> Record:
        return self._state.record

    @property
    def table(self) -> NeighbourTable:
        return self._state.table

    @property
    def is_settled(self) -> bool:
        """Whether nothing is under way: no transfer, no deposit, no unacknowledged part of the replica."""
        if self.stage is Stage.LEFT:
            return True
        return not self._giver.under_way and not len(self._deposits) and self._replica.is_acknowledged

    def serves(self, now: float) -> bool:
        """Whether this node answers for its zones: after a restart, once somebody has confirmed that it may."""
        return bool(self._state.claims) and self._state.is_confirmed

    def is_calm(self, now: float) -> bool:
        """Whether nobody has failed or come back for a while."""
        return self._state.is_calm(now)

    def next_hop(self, position: Zone | None, point: Point) -> tuple[Zone, Record] | None:
        """The zone of a neighbour that is closer to a point than a position, or than our own zones."""
        return self._joins.next_hop(position, point)

    def replica_of(self, owner: str) -> tuple[bytes, ...]:
        """What is kept here of another node's replica."""
        return tuple(self._kept.chunks(owner))

    # Joining and leaving

    def found(self, now: float) -> None:
        """Found a space of one node."""
        self._state.enter(Stage.IN)
        self._state.own(now, (Claim(SPACE, 1),))

    def join(self, now: float, seeds: Sequence[str], point: Point | None = None) -> list[Effect]:
        """Ask at these addresses in turn for a zone, near a point or near a random one."""
        return self._joins.join(now, seeds, point)

    def leave(self, now: float) -> list[Effect]:
        """Give all zones to neighbours. `stage` is LEFT when they have them, and when nobody needs us any more."""
        return self._joins.leave(now)

    # Messages

    def receive(self, now: float, sender: str, message: messages.OwnershipMessage) -> list[Effect]:
        """Handle a message from a node whose identity the transport has verified."""
        if self.stage in (Stage.OUTSIDE, Stage.LEFT):
            return []
        self._resume(now)
        return self._received(now, sender, message)

    def _received(self, now: float, sender: str, message: messages.OwnershipMessage) -> list[Effect]:
        match message:
            case messages.Heartbeat():
                effects = self._heartbeats.receive(now, sender, message)
                return [*effects, *self._takeovers.heard(now, sender)]
            case messages.RecordsWanted():
                return self._heartbeats.wanted(sender, message)
            case messages.Records():
                return self._heartbeats.learn(now, message.records, sender)
            case messages.Replica():
                return self._takeovers.keep(now, sender, message)
            case messages.ReplicaAck():
                return self._replica.acknowledged(now, sender, message)
            case messages.ReplicaObsolete():
                self._takeovers.obsolete(sender, message)
                return []
            case messages.ReplicaKept():
                return self._takeovers.asked(sender, message)
            case messages.Join():
                return self._joins.lead(now, message)
            case messages.Transfer():
                return self._taker.receive(now, sender, message)
            case messages.TransferAck():
                return self._giver.acknowledged(now, sender, message)
            case messages.TransferRefused():
                self._giver.refused(now, sender, message)
                return []

    def replicate(self, now: float, chunk: bytes, ticket: int) -> list[Effect]:
        """Add to our replica; `Replicated` follows when its holder has it, at once if there is nobody else."""
        if self.stage is Stage.LEFT:
            return [Replicated(ticket)]
        effects = self._giver.forward(now, chunk) if chunk else []
        return [*effects, *self._replica.add(now, chunk, ticket)]

    def deposited(self, cast_id: str) -> list[Effect]:
        """Every owner has receipted this chunk of a deposit."""
        self._deposits.completed(cast_id)
        return self._deposits.pump()

    # Time

    def tick(self, now: float) -> list[Effect]:
        """Do what is due."""
        state = self._state
        if self.stage in (Stage.OUTSIDE, Stage.LEFT):
            return []
        self._resume(now)
        if self._ticked_at is not None and now - self._ticked_at > state.timings.suspect_after:
            # After a pause we cannot tell who was silent: everybody, or only we.
            state.table.forgive(now)
            state.unrest_at = now
        self._ticked_at = now
        state.is_confirmed |= state.is_alone
        effects = [*self._heartbeats.tick(now), *self._takeovers.tend(now)]
        if self.stage is Stage.JOINING:
            effects += self._joins.ask(now)
        if self.is_in:
            effects += [*self._takeovers.take_over(now), *self._takeovers.fill_holes(now), *self._giver.tick(now)]
        if self.stage is Stage.LEAVING:
            effects += self._joins.hand_over(now)
        effects += self._balance.tick(now)
        self._taker.prune(now)
        self._settled = None
        return [*effects, *self._deposits.pump()]

    def settle(self, now: float, effects: list[Effect]) -> list[Effect]:
        """After every step: bring the replica up to date, and tell the neighbours if our zones have changed."""
        state = self._state
        if state.record.version != self._settled:
            effects = [*effects, *self._settle(now)]
            self._settled = state.record.version
        if self._takeovers.is_changed:
            self._takeovers.is_changed = False
            effects = [*effects, *self._replica.begin_anew(now, self._boxes)]
        return self._taker.translate(effects)

    # Private

    @property
    def _boxes(self) -> tuple[Box, ...]:
        """Where all lies that is stored here and nowhere else for certain."""
        return (*self.zones, *(claim.zone for claim in self._giver.zones), *self._state.orphans)

    def _resume(self, now: float) -> None:
        """With the first step of a process: go on with what the journal has."""
        if self._ticked_at is None:
            self._ticked_at = now
            state = self._state
            if state.is_resumed:
                state.unrest_at = now
                self._giver.resume(now)
                state.table.own(now, state.claims)
                state.table.forgive(now)

    def _settle(self, now: float) -> list[Effect]:
        state = self._state
        effects: list[Effect] = []
        if state.claims != self._announced:
            effects += self._heartbeats.announce(now, self._around)
            self._announced = state.claims
        self._around = tuple(state.table.known)
        if self.is_in:
            effects += self._replica.renew(now, self._boxes)
        if self.stage is Stage.IN and not state.claims and not self._giver.under_way:
            effects += self._joins.rejoin(now)
        if self.stage is Stage.LEAVING and self._is_dispensable(now):
            state.enter(Stage.LEFT)
        return effects

    def _is_dispensable(self, now: float) -> bool:
        """Whether nobody needs us: all is stored elsewhere, and those whose replicas we keep have other holders."""
        if self._state.is_alone:
            return not self._is_awaited(now)
        return not (self.claims or self._giver.under_way or len(self._deposits) or self._kept.owners)

    def _is_awaited(self, now: float) -> bool:
        """Whether somebody may come back, is about to join, or leaves as well and has to hear of us that it may."""
        limit = now - 2 * self._state.timings.fail_after
        return any(other.departed is not None or other.heard >= limit for other in self.table.all.values())
