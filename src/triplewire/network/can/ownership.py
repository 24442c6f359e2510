"""Ownership: which zones a node has, and how they come and go: join, leave, transfer, takeover, yield.

Zones change hands in three ways. Their owner gives them away (a newcomer joins, or the owner leaves); until the
receiver has acknowledged, the owner keeps the contents. A neighbour takes them over when their owner has been silent,
the holder of the replica first. Or their owner yields, when it learns that it has been replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from random import Random

from msgspec.structs import replace

from triplewire.network.can.claims import merged, minus, outranked, without
from triplewire.network.can.contents import Contents
from triplewire.network.can.effects import Effect, Orphaned, Refused, Replicated, Send, TakenOver
from triplewire.network.can.messages import (
    Address,
    Claim,
    Heartbeat,
    Join,
    Record,
    Replica,
    ReplicaAck,
    ReplicaObsolete,
    ReplicaWanted,
    Transfer,
    TransferAck,
    TransferRefused,
)
from triplewire.network.can.multicasts import HandledMulticasts
from triplewire.network.can.neighbours import Neighbour, NeighbourTable, candidates
from triplewire.network.can.replication import ReplicaHolder, ReplicaSender
from triplewire.network.can.routing import next_zone
from triplewire.network.can.space import SPACE, Point, Zone
from triplewire.network.can.splits import choose_split
from triplewire.network.can.timings import Timings
from triplewire.network.can.transfers import Transfers

_NEVER = float("-inf")
# How many nodes a newcomer is led past, at most, on its way to a more loaded one.
_MOST_VISITED = 32
# Who hears from nobody at all waits for so many times `fail_after`.
_ISOLATED = 4
# How long somebody who was out of contact yields to others, in times of `fail_after`.
_CATCH_UP = 3
# How many members a node asks at a time, when it does not know who adjoins its zones.
_MOST_ASKED = 3


class Stage(Enum):
    """The state of a node's own membership."""

    OUTSIDE = "outside"
    JOINING = "joining"
    IN = "in"
    LEAVING = "leaving"
    LEFT = "left"


class Ownership:
    """The zones of one node, and its neighbours."""

    def __init__(
        self,
        me: Address,
        contents: Contents,
        handled: HandledMulticasts,
        rng: Random,
        timings: Timings,
        incarnation: int,
    ) -> None:
        self.me = me
        self.stage = Stage.OUTSIDE
        self.claims: tuple[Claim, ...] = ()
        self.record = Record(me.id, me.address, incarnation)
        self.table = NeighbourTable(me.id, timings)
        self.transfers = Transfers(timings.retry, timings.remember)
        self.replica = ReplicaSender(timings.retry)
        self.replicas = ReplicaHolder()
        self._contents = contents
        self._handled = handled
        self._rng = rng
        self._timings = timings
        self._seeds: list[str] = []
        self._point: Point | None = None
        self._asked_at = _NEVER
        self._ticked_at: float | None = None
        self._beaten_at = _NEVER
        self._leased_until = _NEVER
        self._leaving_since = _NEVER
        self._handed_over_at = _NEVER
        self._refused_at: dict[str, float] = {}
        self._told: dict[str, str] = {}
        self._announced: tuple[Claim, ...] = ()
        self._absent_since: float | None = None
        self._returned_until = _NEVER
        self._numbers = 0
        self._wanted: dict[str, tuple[float, str]] = {}
        self._acks: dict[int, tuple[str, str]] = {}

    # Reading

    @property
    def is_in(self) -> bool:
        return self.stage in (Stage.IN, Stage.LEAVING)

    @property
    def zones(self) -> tuple[Zone, ...]:
        return tuple(claim.zone for claim in self.claims)

    def serves(self, now: float) -> bool:
        """Whether nobody can have taken over our zones: the holder of our replica heard from us within the lease."""
        return bool(self.claims) and (self.record.holder is None or now <= self._leased_until)

    def next_hop(self, position: Zone | None, point: Point) -> tuple[Zone, Record] | None:
        """The zone of a neighbour that is closer to a point than a position, or than our own zones."""
        own = [(zone, None) for zone in self.zones]
        at = position or (own[0][0] if own else None)
        while at is not None and (better := next_zone(at, point, own)) is not None:
            at = better[0]
        return (
            None
            if at is None
            else next_zone(at, point, ((claim.zone, record) for claim, record in self.table.claims()))
        )

    # Joining and leaving

    def found(self) -> None:
        """Found a space of one node."""
        self.stage = Stage.IN
        self.claims = (Claim(SPACE, 1),)

    def join(self, now: float, seeds: Sequence[str], point: Point | None = None) -> list[Effect]:
        """Ask at these addresses in turn for a zone, near a point or near a random one."""
        self.stage = Stage.JOINING
        self._seeds = list(seeds)
        self._point = point or _random_point(self._rng)
        self._asked_at = _NEVER
        return self._ask(now)

    def resume(self, now: float, claims: Sequence[Claim], neighbours: Sequence[Record]) -> None:
        """Come back with the claims of an earlier process. They are served once the holder confirms them."""
        self.stage = Stage.IN
        self.claims = tuple(claims)
        for record in neighbours:
            self.table.introduce(record.id, record.address)
            self.table.accept(now, self.claims, record)
        self.table.lapsed = now
        self._absent_since = now if neighbours else None
        self._returned_until = now + _CATCH_UP * self._timings.fail_after if neighbours else _NEVER
        self.record = replace(self.record, holder=self.table.holder(now))

    def leave(self, now: float) -> list[Effect]:
        """Give all zones to neighbours. `stage` is LEFT when they have them."""
        if self.stage is not Stage.IN:
            self.stage = Stage.LEFT
            return []
        self.stage = Stage.LEAVING
        self._leaving_since = now
        return self._hand_over(now)

    def joining(self, now: float, join: Join) -> list[Effect]:
        """Lead a newcomer on, or give it a zone."""
        node = join.newcomer.id
        known = self.table.known.get(node)
        is_here = known is not None and self.table.is_alive(now, node)
        if self.stage is not Stage.IN or node == self.me.id or self.transfers.to(node) or is_here:
            return []
        if join.point is not None and not any(join.point in zone for zone in self.zones):
            hop = self.next_hop(join.position, join.point)
            return [] if hop is None else [Send(hop[1].address, replace(join, position=hop[0]))]
        heavier = self._heavier(now, {*join.visited, node})
        if heavier is not None and len(join.visited) < _MOST_VISITED:
            onward = replace(join, point=None, position=None, visited=(*join.visited, self.me.id))
            return [Send(heavier.address, onward)]
        return self._admit(now, join.newcomer)

    # Transfers

    def transferred(self, now: float, sender: str, transfer: Transfer) -> list[Effect]:
        """Take zones that another owner gives us."""
        address = next((record.address for record in transfer.neighbours if record.id == sender), None)
        if address is None:
            return []
        if self.transfers.was_received(transfer.id):
            waits = any(transfer_id == transfer.id for _, transfer_id in self._acks.values())
            return [] if waits else [Send(address, TransferAck(transfer.id))]
        if self.stage not in (Stage.IN, Stage.JOINING):
            return [Send(address, TransferRefused(transfer.id))]
        if self.stage is Stage.IN and not self._may_give(now, sender, transfer.claims):
            return [Refused(sender, "gives what it does not own"), Send(address, TransferRefused(transfer.id))]
        return self._take(now, sender, address, transfer)

    def transfer_answered(self, now: float, sender: str, answer: TransferAck | TransferRefused) -> list[Effect]:
        transfer = self.transfers.finish(answer.id, sender)
        if transfer is None:
            return []
        if isinstance(answer, TransferRefused):
            self._reclaim(now, sender, transfer)
            self._refused_at[sender] = now
        else:
            for zone in minus((claim.zone for claim in transfer.claims), self.zones):
                self._contents.discard(zone)
        return []

    # Heartbeats

    def beaten(self, now: float, sender: str, beat: Heartbeat) -> list[Effect]:
        """Learn from a heartbeat: who is alive, who owns what, and whether we have been replaced."""
        if not self.is_in:
            return []
        if beat.record.id != sender:
            return [Refused(sender, "speaks for another")]
        if not self.table.is_member(sender):
            return self._refuse_stranger(now, beat)
        self._absent_since = None
        self.table.introduce(sender, beat.record.address)
        effects = self._learn_directly(now, sender, beat)
        for record in beat.neighbours:
            if record.id != self.me.id:
                self.table.introduce(record.id, record.address)
                self.table.saw(now, record.id, heard=False)
                if self._is_news(record):
                    effects += self._learn(now, record, via=sender)
        neighbour = self.table.known.get(sender)
        if neighbour is not None and neighbour.record.claims == beat.record.claims:
            neighbour.around = tuple(record.id for record in beat.neighbours)
        elif not beat.is_reply:
            # It takes us for a neighbour and is wrong, or claims what others have: tell it what we know.
            effects.append(self._heartbeat(now, beat.record.id, beat.record.address, is_reply=True))
        return effects

    # Replicas

    def replica_received(self, now: float, sender: str, replica: Replica) -> list[Effect]:
        address = self.table.members.get(sender)
        ack = None if address is None else self.replicas.receive(now, sender, replica)
        # It is back: what we keep now is not what is to be rescued.
        self.table.departed.pop(sender, None)
        return [] if ack is None or address is None else [Send(address, ack)]

    def replica_acknowledged(self, now: float, sender: str, ack: ReplicaAck) -> list[Effect]:
        if sender != self.replica.holder:
            return []
        tickets = self.replica.acknowledged(ack)
        if self.replica.begun(ack.generation) and self.record.holder != sender:
            return [*self._replicated(tickets), *self._confirm_holder(now, sender, ack.generation)]
        return self._replicated(tickets)

    def replica_wanted(self, sender: str, wanted: ReplicaWanted) -> list[Effect]:
        return self._rescue([wanted.owner]) if self.table.is_member(sender) else []

    def replicate(self, now: float, contents: bytes, ticket: int) -> list[Effect]:
        """Add to our replica; `Replicated` follows when its holder has it, at once if there is nobody else."""
        if self.replica.holder is None:
            return [Replicated(ticket)]
        self.replica.add(contents)
        self.replica.wait_for_all(ticket)
        return self._send_replica(now)

    # Time

    def tick(self, now: float) -> list[Effect]:
        """Do what is due."""
        self._notice_absence(now)
        if self.stage is Stage.JOINING:
            return self._ask(now)
        if not self.is_in:
            return []
        effects = [*self._give_up(now), *self._take_over(now), *self._repeat_transfers(now)]
        if self.stage is Stage.LEAVING and now - self._handed_over_at >= self._timings.retry:
            effects += self._hand_over(now)
        if now - self._beaten_at >= self._timings.heartbeat:
            effects += self._beat(now)
        self.transfers.prune(now)
        holds = {node for node, neighbour in self.table.known.items() if neighbour.record.holder == self.me.id}
        self.replicas.prune(now - self._timings.remember, holds)
        return [*effects, *self._send_replica(now)]

    def settle(self, now: float) -> list[Effect]:
        """After every step: bring record and replica up to date, and tell the neighbours if our zones have changed."""
        if self.stage is Stage.IN and not self.claims and not self.transfers.pending:
            return [*self._announce(now), *self._rejoin(now)]
        if not self.is_in:
            return []
        effects = self._renew_replica(now)
        if self.claims != self._announced:
            effects += self._announce(now)
        if self.stage is Stage.LEAVING and not self.claims and not self.transfers.pending and self._is_dispensable(now):
            self.stage = Stage.LEFT
        return effects

    # Private: joining

    def _ask(self, now: float) -> list[Effect]:
        if now - self._asked_at < self._timings.retry or not self._seeds:
            return []
        self._asked_at = now
        seed = self._seeds.pop(0)
        self._seeds.append(seed)
        return [Send(seed, Join(self.me, self._point))]

    def _heavier(self, now: float, visited: set[str]) -> Record | None:
        load = self._load(self.zones)
        found = [
            neighbour.record
            for node, neighbour in self.table.known.items()
            if node not in visited and neighbour.record.load > load and self.table.is_alive(now, node)
        ]
        return max(found, key=lambda record: (record.load, record.id), default=None)

    def _admit(self, now: float, newcomer: Address) -> list[Effect]:
        """Give the newcomer the zone, or the half of our fullest one, that balances best."""
        total = self._load(self.zones)
        choices = [*self.claims] if len(self.claims) > 1 else []
        choices += self._halves()
        if not choices:
            return []
        given = min(choices, key=lambda claim: abs(total - 2 * self._load([claim.zone])))
        return self._give(now, newcomer, given)

    def _halves(self) -> list[Claim]:
        fullest = max(self.claims, key=lambda claim: self._load([claim.zone]))
        split = choose_split(fullest.zone, self._contents.points(fullest.zone))
        return [] if split is None else [Claim(half, fullest.epoch) for half in reversed(split.halves(fullest.zone))]

    def _rejoin(self, now: float) -> list[Effect]:
        """Others have replaced us everywhere: join again, as a newcomer."""
        seeds = list(dict.fromkeys([*reversed(self.table.members.values()), *self._seeds]))
        self.table = NeighbourTable(self.me.id, self._timings)
        self.replica = ReplicaSender(self._timings.retry)
        self.record = replace(self.record, holder=None, version=self.record.version + 1)
        self._told = {}
        return self.join(now, seeds)

    # Private: transfers

    def _give(self, now: float, to: Address, claim: Claim) -> list[Effect]:
        self.claims = without(self.claims, [claim.zone])
        given = Claim(claim.zone, claim.epoch + 1)
        self._refresh_record(now)
        around = [record for record in self._neighbour_records() if _adjoins(given, record.claims)]
        self._numbers += 1
        transfer = Transfer(
            f"{self.me.id}.{self.record.incarnation}.{self._numbers}",
            (given,),
            (self.record, *around),
            self._contents.export([given.zone]),
            self._handled.within(given.zone),
        )
        self.transfers.add(now, to, transfer)
        self._note_given(now, to, given)
        return [Send(to.address, transfer)]

    def _note_given(self, now: float, to: Address, given: Claim) -> None:
        self.table.introduce(to.id, to.address)
        self.table.departed.pop(to.id, None)
        known = self.table.known.get(to.id)
        if known is None:
            placeholder = Record(to.id, to.address, incarnation=0, claims=(given,))
            self.table.known[to.id] = Neighbour(placeholder, evidence=now)
        else:
            known.record = replace(known.record, claims=(*known.record.claims, given))

    def _may_give(self, now: float, node: str, claims: Sequence[Claim]) -> bool:
        """Whether a node may give these zones: it is a member, and no living neighbour of ours owns them."""
        return self.table.is_member(node) and not any(
            claim.zone.touches(other.zone)
            for claim in claims
            for other, record in self.table.claims()
            if record.id != node and self.table.is_alive(now, record.id)
        )

    def _take(self, now: float, sender: str, address: str, transfer: Transfer) -> list[Effect]:
        self.transfers.receive(now, transfer.id)
        self.stage = Stage.IN
        self._contents.merge(transfer.contents)
        for multicast_id, boxes in transfer.handled:
            for box in boxes:
                self._handled.handle(now, multicast_id, box)
        giver = self.table.known.get(sender)
        if giver is not None:
            giver.record = replace(
                giver.record, claims=without(giver.record.claims, [claim.zone for claim in transfer.claims])
            )
        self.claims = merged([*self.claims, *transfer.claims])
        self._leased_until = max(self._leased_until, now + self._timings.lease)
        effects: list[Effect] = []
        for record in transfer.neighbours:
            self.table.introduce(record.id, record.address)
            if record.id != self.me.id and self._is_news(record):
                effects += self._learn(now, record, via=sender)
        self._numbers += 1
        self._acks[-self._numbers] = (address, transfer.id)
        # The new claims begin a generation of our replica, which this waits for; alone, it need not wait.
        effects += self._renew_replica(now)
        if self.replica.holder is None:
            return [*effects, *self._replicated([-self._numbers])]
        self.replica.wait_for_all(-self._numbers)
        return effects

    def _hand_over(self, now: float) -> list[Effect]:
        """Give every zone that is still ours to the neighbour that suits best."""
        self._handed_over_at = now
        effects: list[Effect] = []
        for claim in self.claims:
            heir = self._heir(now, claim)
            if heir is not None:
                effects += self._give(now, Address(heir.id, heir.address), claim)
        if not minus([SPACE], self.zones):
            # Nobody else is left.
            self.stage = Stage.LEFT
        return effects

    def _is_dispensable(self, now: float) -> bool:
        """Whether all whose replicas we keep have another holder by now, or have had the time to find one."""
        return not self.replicas.kept or now - self._leaving_since > self._timings.fail_after

    def _heir(self, now: float, claim: Claim) -> Record | None:
        """The least loaded neighbour that has not just refused; first of those whose zone makes one box with this."""
        found = [
            neighbour.record
            for node, neighbour in self.table.known.items()
            if self.table.is_alive(now, node)
            and _adjoins(claim, neighbour.record.claims)
            and now - self._refused_at.get(node, _NEVER) > self._timings.fail_after
        ]
        return min(
            found, key=lambda record: (not _makes_a_box(claim, record.claims), record.load, record.id), default=None
        )

    def _repeat_transfers(self, now: float) -> list[Effect]:
        for pending in list(self.transfers.pending.values()):
            known = self.table.known.get(pending.to.id)
            evidence = max(pending.since, known.evidence if known else _NEVER)
            if now - evidence > self._timings.fail_after:
                self.transfers.finish(pending.transfer.id, pending.to.id)
                self._reclaim(now, pending.to.id, pending.transfer)
        return [Send(pending.to.address, pending.transfer) for pending in self.transfers.due(now)]

    def _reclaim(self, now: float, node: str, transfer: Transfer) -> None:
        """The receiver does not take it, or has failed: own it again, above the epoch that others may have heard of."""
        claims = [Claim(claim.zone, claim.epoch + 1) for claim in transfer.claims]
        known = self.table.known.get(node)
        if known is not None:
            left = without(known.record.claims, [claim.zone for claim in claims])
            known.record = replace(known.record, claims=left)
        self.claims = merged([*self.claims, *claims])
        self.table.contest(now, [claim.zone for claim in claims])
        self.table.retain(self.claims)

    # Private: heartbeats

    def _refuse_stranger(self, now: float, beat: Heartbeat) -> list[Effect]:
        """Nobody introduced it. It may be an old owner whom everybody has forgotten: tell it who owns what."""
        refused = Refused(beat.record.id, "nobody introduced it")
        if beat.is_reply:
            return [refused]
        return [refused, self._heartbeat(now, beat.record.id, beat.record.address, is_reply=True)]

    def _is_news(self, record: Record) -> bool:
        known = self.table.known.get(record.id)
        return known is None or (record.age >= known.record.age and record != known.record)

    def _learn_directly(self, now: float, sender: str, beat: Heartbeat) -> list[Effect]:
        self.table.saw(now, sender, heard=True)
        effects = self._learn(now, beat.record, via=sender) if self._is_news(beat.record) else []
        self.table.saw(now, sender, heard=True)
        neighbour = self.table.known.get(sender)
        if neighbour is not None:
            neighbour.echo = max(beat.sent_at, neighbour.echo if neighbour.echo is not None else beat.sent_at)
        if beat.echo is not None and sender == self.record.holder:
            self._leased_until = max(self._leased_until, beat.echo + self._timings.lease)
        return effects

    def _learn(self, now: float, record: Record, via: str) -> list[Effect]:
        if record.id == self.me.id:
            return []
        own = replace(self.record, claims=self.claims)
        objection = self.table.objection(now, own, record, via)
        if objection is not None:
            self.table.shrink(record)
            return [Refused(via, objection)] if via == record.id else []
        effects: list[Effect] = []
        lost = outranked(own, record)
        if lost:
            self.claims = without(self.claims, lost)
            effects.append(Orphaned(tuple(lost)))
        was_known = record.id in self.table.known
        self.table.accept(now, self.claims, record)
        self.table.retain(self.claims)
        effects += self._rescue(self.table.departed)
        if not was_known and via != record.id and record.id in self.table.known:
            effects.append(self._heartbeat(now, record.id, record.address))
        return effects

    def _beat(self, now: float) -> list[Effect]:
        self._beaten_at = now
        self._refresh_record(now)
        recipients = {node: neighbour.record.address for node, neighbour in self.table.known.items()}
        for node, departed in self.table.departed.items():
            if now - departed.probed >= self._timings.probe_departed_every:
                departed.probed = now
                recipients[node] = departed.record.address
        if self.table.has_gap(self.claims):
            members = sorted(self.table.members.items())
            recipients |= dict(self._rng.sample(members, min(_MOST_ASKED, len(members))))
        return [*self._want_replicas(now), *(self._heartbeat(now, node, to) for node, to in recipients.items())]

    def _want_replicas(self, now: float) -> list[Effect]:
        """Ask former holders, a few times, for the replicas of those from whom we took over."""
        limit = now - self._timings.fail_after
        self._wanted = {owner: wanted for owner, wanted in self._wanted.items() if wanted[0] >= limit}
        return [Send(address, ReplicaWanted(owner)) for owner, (_, address) in self._wanted.items()]

    def _announce(self, now: float) -> list[Effect]:
        """Tell all neighbours, and those that were neighbours before."""
        self._announced = self.claims
        self._refresh_record(now)
        neighbours = {node: neighbour.record.address for node, neighbour in self.table.known.items()}
        recipients = self._told | neighbours
        self._told = neighbours
        return [self._heartbeat(now, node, address) for node, address in recipients.items()]

    def _heartbeat(self, now: float, to: str, address: str, is_reply: bool = False) -> Effect:
        known = self.table.known.get(to)
        self._refresh_record(now)
        told = {record.id: record for record in self.table.fresh(now)}
        for pending in self.transfers.pending.values():
            receiver = self.table.known.get(pending.to.id)
            if receiver is not None:
                told[pending.to.id] = receiver.record
        return Send(
            address,
            Heartbeat(self.record, tuple(told.values()), now, None if known is None else known.echo, is_reply),
        )

    def _refresh_record(self, now: float) -> None:
        holder = self.record.holder
        fresh = replace(
            self.record,
            claims=self.claims,
            load=self._load(self.zones),
            is_returned=now < self._returned_until,
            holder=holder if self.table.known else None,
        )
        if fresh != self.record:
            self.record = replace(fresh, version=self.record.version + 1)

    # Private: replicas

    def _renew_replica(self, now: float) -> list[Effect]:
        """Begin a generation of the replica when its holder or what it has to have has changed."""
        holder = self.table.holder(now)
        claims = (
            *self.claims,
            *(claim for pending in self.transfers.pending.values() for claim in pending.transfer.claims),
        )
        if (holder, claims) == (self.replica.holder, self.replica.claims):
            return []
        self._refresh_record(now)
        self.record = replace(self.record, version=self.record.version + 1)
        contents = b"" if holder is None else self._contents.export([claim.zone for claim in claims])
        tickets = self.replica.begin(holder, self.record.age, claims, tuple(self._neighbour_records()), contents)
        return [*self._replicated(tickets), *self._send_replica(now)]

    def _confirm_holder(self, now: float, holder: str, generation: tuple[int, int]) -> list[Effect]:
        """From now on this neighbour is the first to take over: the one before may forget our replica."""
        before = self.table.members.get(self.record.holder or "")
        self.record = replace(self.record, holder=holder, version=self.record.version + 1)
        self._leased_until = max(self._leased_until, now + self._timings.lease)
        return [] if before is None else [Send(before, ReplicaObsolete(generation))]

    def _send_replica(self, now: float) -> list[Effect]:
        holder = self.table.known.get(self.replica.holder or "")
        return [] if holder is None else [Send(holder.record.address, part) for part in self.replica.due(now)]

    def _replicated(self, tickets: Iterable[int]) -> list[Effect]:
        """Negative tickets are our own: transfers to acknowledge."""
        effects: list[Effect] = []
        for ticket in tickets:
            ack = self._acks.pop(ticket, None)
            effects.append(Replicated(ticket) if ack is None else Send(ack[0], TransferAck(ack[1])))
        return effects

    def _rescue(self, failed: Iterable[str]) -> list[Effect]:
        """Somebody else has taken over from nodes whose replicas we keep: see that the contents get there."""
        effects: list[Effect] = []
        for owner in [owner for owner in failed if owner in self.replicas.kept]:
            kept = self.replicas.kept.pop(owner)
            for part in kept.parts:
                self._contents.merge(part)
            effects.append(Orphaned(tuple(minus([claim.zone for claim in kept.claims], self.zones))))
        return effects

    # Private: failures

    def _notice_absence(self, now: float) -> None:
        """After a pause we cannot tell who was silent: everybody, or only we."""
        if self._ticked_at is not None and now - self._ticked_at > self._timings.suspect_after:
            self.table.forgive(now)
            self._absent_since = now if self.table.known else None
        elif now < self._returned_until and self._is_lost():
            self._absent_since = now if self._absent_since is None else self._absent_since
        elif self._is_isolated(now):
            self._returned_until = now + _CATCH_UP * self._timings.fail_after
        elif self.is_in and self.claims and not self.serves(now):
            self.table.lapsed = now
        if self._absent_since is not None:
            self._returned_until = now + _CATCH_UP * self._timings.fail_after
        self._ticked_at = now

    def _is_lost(self) -> bool:
        """Whether we know none of those who own the rest of the space."""
        return self.is_in and bool(self.claims) and not self.table.known and bool(minus([SPACE], self.zones))

    def _is_isolated(self, now: float, silent: str = "") -> bool:
        """Whether we hear from none of several neighbours, besides one that is known to be silent."""
        others = [other for other in self.table.known if other != silent]
        return len(others) + bool(silent) > 1 and not any(self.table.is_alive(now, other) for other in others)

    def _give_up(self, now: float) -> list[Effect]:
        """Nobody whom we knew before an absence answers: they have gone on without us, and we begin anew."""
        if self._absent_since is None or now - self._absent_since <= _ISOLATED * self._timings.fail_after:
            return []
        self._absent_since = None
        zones, self.claims = self.zones, ()
        return [Orphaned(zones)]

    def _take_over(self, now: float) -> list[Effect]:
        effects: list[Effect] = []
        for node, neighbour in list(self.table.known.items()):
            if node in self.table.known and self._is_ours_to_take(now, node, neighbour):
                effects += self._take_zones_of(now, neighbour)
        return effects

    def _is_ours_to_take(self, now: float, node: str, neighbour: Neighbour) -> bool:
        """Candidates take their turns, so that one is enough; who hears from nobody at all waits for longer."""
        silent = now - neighbour.evidence
        if silent <= self._timings.fail_after or self.stage is not Stage.IN or self.transfers.to(node):
            return False
        if self._absent_since is not None:
            return False
        turn = self._turn(node, neighbour) + (_ISOLATED if self._is_isolated(now, node) else 1)
        return silent > turn * self._timings.fail_after

    def _turn(self, node: str, neighbour: Neighbour) -> int:
        """Who keeps a replica is first; the others follow in an order that is the same to everybody."""
        if node in self.replicas.kept:
            return 0
        holder = neighbour.record.holder
        around = {*neighbour.around, self.me.id} - {node, *self.table.departed}
        order = sorted(candidates(node, around), key=lambda candidate: candidate != holder)
        return 1 + order.index(self.me.id)

    def _take_zones_of(self, now: float, neighbour: Neighbour) -> list[Effect]:
        owner = neighbour.record.id
        kept = self.replicas.kept.pop(owner, None)
        claims = neighbour.record.claims
        if kept is not None and kept.generation >= neighbour.record.age:
            claims = kept.claims
        others = [claim.zone for claim, record in self.table.claims() if record.id != owner]
        taken = [Claim(claim.zone, claim.epoch + 1) for claim in without(claims, [*others, *self.zones])]
        for part in kept.parts if kept is not None else ():
            self._contents.merge(part)
        self.claims = merged([*self.claims, *taken])
        self.table.contest(now, [claim.zone for claim in taken])
        for elsewhere in minus([claim.zone for claim in kept.claims] if kept is not None else [], self.zones):
            self._contents.discard(elsewhere)
        self.table.depart(now, neighbour.record)
        effects: list[Effect] = [TakenOver(owner, tuple(claim.zone for claim in taken), kept is not None)]
        holder = self.table.members.get(neighbour.record.holder or "")
        if holder is not None:
            self._wanted[owner] = (now, holder)
        for record in kept.neighbours if kept is not None else ():
            self.table.introduce(record.id, record.address)
            if record.id not in (self.me.id, owner) and self._is_news(record):
                effects += self._learn(now, record, via=owner)
        return effects

    # Private

    def _load(self, zones: Iterable[Zone]) -> int:
        return sum(self._contents.load(zone) for zone in zones)

    def _neighbour_records(self) -> list[Record]:
        return [neighbour.record for neighbour in self.table.known.values()]


def _adjoins(claim: Claim, claims: Iterable[Claim]) -> bool:
    return any(claim.zone.adjoins(other.zone) for other in claims)


def _makes_a_box(claim: Claim, claims: Iterable[Claim]) -> bool:
    return any(claim.zone.union(other.zone) is not None for other in claims)


def _random_point(rng: Random) -> Point:
    graph, subject, predicate, object_ = (rng.randbytes(8) for _ in range(4))
    return graph, subject, predicate, object_
