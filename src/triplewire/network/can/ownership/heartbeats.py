"""Heartbeats: who is alive, who owns what, and who is right where two claim the same.

Neighbours tell each other every so often that they live, whom they have heard from, and which records they have; what
is newer elsewhere is asked for. A few others that a node knows are named as well, at random, so that two who claim
the same zone learn of each other wherever they are. Then the ranks decide: the loser yields, and what it stored is an
orphan.

While all is calm, nobody's zones change hands by a claim alone (row A12): what touches the zones of somebody who
lives is not believed until that one has given it up. After a failure, anybody may have been replaced by others who
did not hear from it. That somebody has failed goes from neighbour to neighbour, so that everybody knows.

A stranger is not believed, whatever its rank. One that a failed node had let in, and that nobody else was told of, is
a stranger for good: it yields what others own, and joins again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from triplewire.network.can.effects import Effect, Refused, Send
from triplewire.network.can.geometry.space import Box
from triplewire.network.can.messages import Heartbeat, Record, Records, RecordsWanted, Sighting
from triplewire.network.can.ownership.claims import intersections, minus, outranked, overlap, without
from triplewire.network.can.ownership.neighbours import Member
from triplewire.network.can.ownership.state import State

_NEVER = float("-inf")
# How many others than those that were just heard are named in a heartbeat.
_GOSSIP = 4
# How many members are asked at a time by one who does not know who adjoins its zones.
_MOST_ASKED = 3
# For so many times `fail_after` an owner that we contend with does not know us before we yield.
_FORGOTTEN = 6


class Heartbeats:
    """The heartbeats of one node, and what it learns from those of others."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._beaten_at = _NEVER
        self._announced: Record | None = None
        self._told: dict[tuple[str, str], float] = {}
        self._strange_since: dict[str, float] = {}
        """Since when we are a stranger to members that claim something of ours."""

    # Receiving

    def receive(self, now: float, sender: str, beat: Heartbeat) -> list[Effect]:
        """Learn from a heartbeat: who is alive, who owns what, and whether we have been replaced."""
        state = self._state
        if beat.record.id != sender:
            return [Refused(sender, "speaks for another")]
        if not state.table.is_member(sender):
            return self._refuse_stranger(now, beat)
        member = state.table.all[sender]
        if member.departed is not None or beat.record.incarnation > member.record.incarnation > 0:
            state.unrest_at = now
        state.table.saw(now, sender, heard=True)
        member.calm_since = now - beat.calm_for - 2 * state.timings.heartbeat
        member.around = tuple(seen.id for seen in beat.heard)
        effects = self.learn(now, (beat.record, *beat.records), sender)
        self._yield(now, outranked(state.record, member.record))
        self._yield(now, self._lost_as_a_stranger(now, beat, member.record))
        effects += self._compare(now, beat)
        is_wrong = beat.yours is None or beat.yours < state.record.age
        if not beat.is_reply and (is_wrong or sender not in state.table.known):
            effects.append(self._beat(now, sender, is_reply=True))
        return effects

    def learn(self, now: float, records: Iterable[Record], via: str) -> list[Effect]:
        """Take in records that a member has sent."""
        effects: list[Effect] = []
        for record in records:
            if record.id != self._state.me.id and self._state.table.is_member(via):
                self._state.table.introduce(now, record.id, record.address)
                effects += self._learn(now, record, via)
        return effects

    def wanted(self, sender: str, wanted: RecordsWanted) -> list[Effect]:
        address = self._state.table.members.get(sender)
        found = [self._state.table.all.get(node) for node in wanted.ids]
        known = tuple(member.record for member in found if member is not None and member.is_its_own)
        return [] if address is None or not known else [Send(address, Records(known))]

    # Sending

    def tick(self, now: float) -> list[Effect]:
        if now - self._beaten_at < self._state.timings.heartbeat:
            return []
        self._beaten_at = now
        state = self._state
        state.record = replace(state.record, load=state.load())
        self._watch(now)
        to = dict.fromkeys(state.table.known)
        to.update(dict.fromkeys(self._departed_to_probe(now)))
        to.update(dict.fromkeys(sorted(state.table.rivals)))
        others = [node for node in state.table.all if node not in to]
        most = _MOST_ASKED if not state.table.known or state.table.gaps() else state.rng.random() < 0.2
        to.update(dict.fromkeys(state.rng.sample(others, min(int(most), len(others)))))
        return [self._beat(now, node) for node in to]

    def announce(self, now: float, before: Iterable[str] = ()) -> list[Effect]:
        """Tell the neighbours, and those who were, that our zones have changed."""
        self._announced = self._state.record
        return [self._beat(now, node) for node in dict.fromkeys([*self._state.table.known, *before])]

    def _beat(self, now: float, node: str, is_reply: bool = False) -> Send:
        state = self._state
        member = state.table.all.get(node)
        heard = state.table.fresh(now)
        named = {seen.record.id for seen in heard}
        others = [other for node, other in state.table.all.items() if node not in named and other.departed is None]
        limit = now - 2 * state.timings.heartbeat
        changed = [other for other in state.table.known.values() if other.changed >= limit]
        others = [*state.rng.sample(others, min(_GOSSIP, len(others))), *changed]
        return Send(
            state.table.members[node] if member is not None else node,
            Heartbeat(
                state.record,
                tuple(_sighting(other) for other in heard),
                tuple(_sighting(other) for other in others),
                tuple(other.record for other in changed if other.is_its_own),
                None if member is None else member.record.age,
                min(now - state.last_unrest(now, but=node), 10 * state.timings.remember),
                is_reply,
            ),
        )

    # Private: receiving

    def _refuse_stranger(self, now: float, beat: Heartbeat) -> list[Effect]:
        """Nobody introduced it. It may be an old owner whom everybody has forgotten: tell it who owns what."""
        refused = Refused(beat.record.id, "nobody introduced it")
        if beat.is_reply or not self._state.is_in:
            return [refused]
        reply = self._beat(now, beat.record.id, is_reply=True)
        return [refused, replace(reply, to=beat.record.address)]

    def _compare(self, now: float, beat: Heartbeat) -> list[Effect]:
        """Ask for what the sender has newer records of."""
        state = self._state
        wanted = []
        for at, seen in enumerate((*beat.heard, *beat.others)):
            if seen.id == state.me.id:
                continue
            state.table.introduce(now, seen.id, seen.address)
            member = state.table.all[seen.id]
            if at < len(beat.heard) and member.departed is None:
                state.table.saw(now, seen.id, heard=False)
            if member.record.age < (seen.incarnation, seen.version):
                wanted.append(seen.id)
            elif member.record.load != seen.load:
                member.record = replace(member.record, load=seen.load)
        address = state.table.members[beat.record.id]
        return [Send(address, RecordsWanted(tuple(wanted)))] if wanted else []

    def _learn(self, now: float, record: Record, via: str) -> list[Effect]:
        state = self._state
        member = state.table.all[record.id]
        known = member.record
        # Of its own record a node is right in any case.
        is_same = record.age == known.age and (record.id != via or record.claims == known.claims)
        if record.age < known.age or (is_same and not member.is_cut):
            if record.id == via and record.age == known.age:
                member.record = replace(known, load=record.load)
            return []
        contested = self._contested(now, record)
        believed = replace(record, claims=without(record.claims, contested)) if contested else record
        effects: list[Effect] = []
        if contested:
            effects.append(Refused(record.id, "claims what others own"))
        before = member.record.claims
        state.table.accept(now, believed, is_cut=bool(contested))
        if believed.claims != before:
            member.changed = now
            effects += self._settle(now, believed)
        return effects

    def _contested(self, now: float, record: Record) -> list[Box]:
        """The parts of a record that are not believed: somebody else owns them, and all is calm."""
        state = self._state
        known = state.table.record(record.id)
        new = without(record.claims, [claim.zone for claim in known.claims] if known else [])
        if not new or not state.is_calm(now, but=record.id):
            return []
        owned = [zone for zone in state.zones if any(zone.touches(claim.zone) for claim in new)]
        for other in state.table.overlapping(new, record.id):
            if state.table.is_alive(now, other.record.id):
                owned += [claim.zone for claim in other.record.claims if overlap([claim], new)]
        return minus(owned, [claim.zone for claim in known.claims] if known else [])

    def _settle(self, now: float, record: Record) -> list[Effect]:
        """Where its zones are claimed by others, too, see that the owners learn of each other."""
        state = self._state
        effects: list[Effect] = []
        for other in state.table.overlapping(record.claims, record.id):
            pair = (record.id, other.record.id)
            if not other.is_its_own or state.table.all[record.id].is_cut:
                continue
            if now - self._told.get(pair, _NEVER) >= state.timings.heartbeat:
                self._told[pair] = now
                effects.append(Send(record.address, Records((other.record,))))
                effects.append(Send(other.record.address, Records((record,))))
        if overlap(state.claims, record.claims):
            effects.append(self._beat(now, record.id))
        return effects

    def _lost_as_a_stranger(self, now: float, beat: Heartbeat, record: Record) -> list[Box]:
        """The parts of our zones that somebody has who does not know us, and to whom nobody has introduced us."""
        shared = intersections(self._state.claims, record.claims)
        if beat.yours is not None or not shared:
            self._strange_since.pop(record.id, None)
            return []
        since = self._strange_since.setdefault(record.id, now)
        return shared if now - since > _FORGOTTEN * self._state.timings.fail_after else []

    def _yield(self, now: float, lost: list[Box]) -> None:
        """Give up what another, who lives, has by a greater rank. What we stored there belongs to it."""
        state = self._state
        if lost:
            state.unrest_at = now
            state.own(now, without(state.claims, lost))
            state.orphan(lost)

    # Private: sending

    def _watch(self, now: float) -> None:
        """Note what may have led others to replace somebody: silence, or nodes that were replaced."""
        state = self._state
        departed = state.table.departed()
        for member in departed:
            if member.departed == _NEVER:
                member.departed = now
            if member.departed is not None and now - member.departed > state.timings.forget_departed_after:
                state.table.forget(member.record.id)
        is_silent = any(not state.table.is_alive(now, node) for node in state.table.known)
        if departed or is_silent:
            state.unrest_at = now

    def _departed_to_probe(self, now: float) -> Sequence[str]:
        found = []
        for member in self._state.table.departed():
            if now - member.probed >= self._state.timings.probe_departed_every:
                member.probed = now
                found.append(member.record.id)
        return found


def _sighting(member: Member) -> Sighting:
    record = member.record
    return Sighting(record.id, record.address, record.incarnation, record.version, record.load)
