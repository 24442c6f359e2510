"""Joining and leaving: asking for a zone, leading a newcomer to where most is stored, and finding heirs."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from msgspec.structs import replace

from triplewire.network.can.effects import Effect, Send
from triplewire.network.can.geometry.space import Point, Zone
from triplewire.network.can.geometry.splits import choose_split
from triplewire.network.can.messages import Address, Claim, Join, Record
from triplewire.network.can.messaging.routing import next_zone
from triplewire.network.can.ownership.claims import adjoin
from triplewire.network.can.ownership.giving import Giver
from triplewire.network.can.ownership.state import Stage, State
from triplewire.network.can.ownership.taking import Taker

_NEVER = float("-inf")
# How many nodes a newcomer is led past, at most, on its way to a more loaded one.
_MOST_VISITED = 32


class Joins:
    """How one node comes and goes, and how it lets others in."""

    def __init__(self, state: State, giver: Giver, taker: Taker) -> None:
        self._state = state
        self._giver = giver
        self._taker = taker
        self._point: Point | None = None
        self._asked_at = _NEVER
        self._handed_over_at = _NEVER

    # Ourselves

    def join(self, now: float, seeds: Sequence[str], point: Point | None = None) -> list[Effect]:
        """Ask at these addresses in turn for a zone, near a point or near a random one."""
        self._state.seeds = list(seeds)
        self._state.enter(Stage.JOINING)
        self._point = point
        self._asked_at = _NEVER
        return self.ask(now)

    def ask(self, now: float) -> list[Effect]:
        """Ask the next one. What we stored before is deposited first: it belongs to others."""
        state = self._state
        if now - self._asked_at < state.timings.retry or not state.seeds or state.orphans:
            return []
        self._asked_at = now
        self._point = self._point or _random_point(state.rng)
        self._taker.nonce = self._taker.nonce or state.rng.randbytes(16).hex()
        seed = state.seeds.pop(0)
        state.seeds.append(seed)
        return [Send(seed, Join(state.me, self._taker.nonce, self._point))]

    def rejoin(self, now: float) -> list[Effect]:
        """Others have replaced us everywhere: join again, as a newcomer."""
        self._taker.nonce = ""
        table = self._state.table
        heard = sorted(table.all, key=lambda node: table.all[node].evidence, reverse=True)
        return self.join(now, list(dict.fromkeys([*(table.members[node] for node in heard), *self._state.seeds])))

    def leave(self, now: float) -> list[Effect]:
        if self._state.stage is not Stage.IN:
            self._state.enter(Stage.LEAVING)
            return []
        self._state.enter(Stage.LEAVING)
        return self.hand_over(now)

    def hand_over(self, now: float) -> list[Effect]:
        """Give every zone that is still ours to the neighbour that suits best."""
        if now - self._handed_over_at < self._state.timings.retry:
            return []
        self._handed_over_at = now
        effects: list[Effect] = []
        for claim in self._state.claims:
            heir = None if self._giver.is_giving(claim) else self._heir(now, claim)
            if heir is not None:
                effects += self._giver.give(now, Address(heir.id, heir.address), claim)
        return effects

    # Others

    def lead(self, now: float, join: Join) -> list[Effect]:
        """Lead a newcomer on, or give it a zone."""
        state, node = self._state, join.newcomer.id
        known = state.table.known.get(node)
        is_here = known is not None and now - known.heard <= state.timings.suspect_after
        if not self._may_admit() or node == state.me.id or self._giver.to(node) or is_here:
            return []
        if join.point is not None and not any(join.point in zone for zone in state.zones):
            hop = self.next_hop(join.position, join.point)
            return [] if hop is None else [Send(hop[1].address, replace(join, position=hop[0]))]
        heavier = self._heavier(now, {*join.visited, node})
        if heavier is not None and len(join.visited) < _MOST_VISITED:
            onward = replace(join, point=None, position=None, visited=(*join.visited, state.me.id))
            return [Send(heavier.address, onward)]
        return self._admit(now, join)

    def next_hop(self, position: Zone | None, point: Point) -> tuple[Zone, Record] | None:
        """The zone of a neighbour that is closer to a point than a position, or than our own zones."""
        own = [(zone, None) for zone in self._state.zones]
        at = position or (own[0][0] if own else None)
        while at is not None and (better := next_zone(at, point, own)) is not None:
            at = better[0]
        if at is None:
            return None
        return next_zone(at, point, ((claim.zone, record) for claim, record in self._state.table.claims()))

    # Private

    def _may_admit(self) -> bool:
        """A leaver that nobody else can inherit from waits for a newcomer."""
        leaves = self._state.stage is Stage.LEAVING
        return self._state.stage is Stage.IN or (leaves and self._state.is_alone)

    def _heavier(self, now: float, visited: set[str]) -> Record | None:
        """Of those that we know to be alive, the one that stores most, if it stores more than we do."""
        load = self._state.load()
        records = [member.record for member in self._state.table.lately_alive(now)]
        found = [record for record in records if record.id not in visited and record.load > load]
        return max(found, key=lambda record: (record.load, record.id), default=None)

    def _admit(self, now: float, join: Join) -> list[Effect]:
        """Give the newcomer the zone, or the half of our fullest one, that balances best."""
        state = self._state
        free = [claim for claim in state.claims if not self._giver.is_giving(claim)]
        choices = [*free] if len(state.claims) > 1 or state.stage is Stage.LEAVING else []
        choices += [] if state.stage is Stage.LEAVING else self._halves(free)
        if not choices:
            return []
        total = state.load()
        given = min(choices, key=lambda claim: abs(total - 2 * state.load([claim.zone])))
        return self._giver.give(now, join.newcomer, given, join.nonce)

    def _halves(self, claims: Sequence[Claim]) -> list[Claim]:
        if not claims:
            return []
        fullest = max(claims, key=lambda claim: self._state.load([claim.zone]))
        split = choose_split(fullest.zone, self._state.contents.points(fullest.zone))
        return [] if split is None else [Claim(half, fullest.epoch) for half in reversed(split.halves(fullest.zone))]

    def _heir(self, now: float, claim: Claim) -> Record | None:
        """The least loaded neighbour that has not just refused; first of those whose zone makes one box with this."""
        state = self._state
        found = [
            member.record
            for node, member in state.table.known.items()
            if state.table.is_alive(now, node)
            and adjoin([claim], member.record.claims)
            and now - self._giver.refused_at.get(node, _NEVER) > state.timings.fail_after
        ]
        staying = [record for record in found if not record.is_leaving]
        if not staying and all(member.record.is_leaving for member in state.table.known.values()):
            staying = [record for record in found if record.id > state.me.id]
        return min(
            staying, key=lambda record: (not _makes_a_box(claim, record.claims), record.load, record.id), default=None
        )


def _makes_a_box(claim: Claim, claims: Sequence[Claim]) -> bool:
    return any(claim.zone.union(other.zone) is not None for other in claims)


def _random_point(rng: Random) -> Point:
    graph, subject, predicate, object_ = (rng.randbytes(8) for _ in range(4))
    return graph, subject, predicate, object_
