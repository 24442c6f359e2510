"""Membership: join, leave, be thrown out, and come back.

A newcomer asks any member, which gives it a place and tells everybody. News travel as broadcasts; where two tables
differ nevertheless, which their digests show, they are exchanged whole.

Whoever hears from somebody that it has given up answers with its table (`Outcast`). The other then says that it is
alive, in a higher incarnation. Only where both have given each other up, after a partition into two networks, one side
takes the other's table and joins again, member by member: the one with fewer members, or at a tie the one without the
smallest identifier. So the other side does not have to move.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from random import Random

import msgspec

from triplewire.network.effects import Deed, Say, Send
from triplewire.network.hypercube.members import Members
from triplewire.network.messages import Alive, Changed, Join, Member, Outcast, Status, Table, Welcome
from triplewire.network.timings import Timings


class Stage(Enum):
    """How far a super-peer has come into the network."""

    OUTSIDE = "outside"
    JOINING = "joining"
    IN = "in"
    LEFT = "left"


class Membership:
    """One super-peer's part in keeping the table. `heard` is how far it has heard each origin."""

    def __init__(
        self, me: Member, known: Sequence[Member], heard: dict[str, int], rng: Random, timings: Timings
    ) -> None:
        self.me = me
        self.members = Members(known)
        self.stage = Stage.OUTSIDE
        self.heard = heard
        self._rng = rng
        self._timings = timings
        self._seeds: list[str] = []
        self._asked_at = float("-inf")
        self._began_at = 0.0
        self._moved_at: float | None = None
        self._called_at = float("-inf")
        self._told_outcast: dict[str, float] = {}

    # Joining

    def begin_again(self, known: Member) -> None:
        """Go on after a restart as the one that the others know."""
        self.me = msgspec.structs.replace(
            known, address=self.me.address, incarnation=known.incarnation + 1, status=Status.ALIVE
        )

    def found(self) -> list[Deed]:
        """Begin a network of one."""
        self.me = msgspec.structs.replace(self.me, claim=0)
        self.members.replace([self.me])
        self.stage = Stage.IN
        return []

    def assume(self) -> list[Deed]:
        """Take what is known for how it is, oneself among the others."""
        self.me = self.members.get(self.me.id) or self.me
        self.stage = Stage.IN
        return []

    def join(self, now: float, seeds: Sequence[str]) -> list[Deed]:
        """Ask at these addresses, one after the other, until somebody says welcome."""
        self.stage = Stage.JOINING
        self._seeds = list(seeds)
        self._began_at, self._asked_at = now, float("-inf")
        return self.tick(now)

    def asked(self, now: float, sender: str, join: Join) -> list[Deed]:
        """Somebody wants in: give it a place and tell everybody, unless that was done before."""
        if self.stage is not Stage.IN or sender != join.member.id or sender == self.me.id:
            return []
        known = self.members.get(sender)
        if known is None or known.status is not Status.ALIVE or known.incarnation < join.member.incarnation:
            return self._integrate(now, join.member, known)
        return [self._welcome(known)]

    def welcomed(self, now: float, welcome: Welcome) -> list[Deed]:
        """We are in."""
        mine = next((member for member in welcome.members if member.id == self.me.id), None)
        if self.stage is not Stage.JOINING or mine is None or mine.incarnation < self.me.incarnation:
            return []
        self.me = mine
        self.members.replace(welcome.members)
        for origin, position in welcome.heard.items():
            self.heard.setdefault(origin, position)
        self.stage = Stage.IN
        self._moved_at = now
        return []

    def tick(self, now: float) -> list[Deed]:
        """Ask again; or go on with those that were known, if nobody answers."""
        if self.stage is Stage.JOINING:
            return self._ask(now)
        if self.stage is not Stage.IN:
            return []
        deeds = self._call(now)
        if self._moved_at is not None and now - self._moved_at > self._timings.beat * 2:
            self._moved_at = None
            deeds += self._claim_place(now)
        return deeds

    # News

    def changed(self, now: float, news: Changed) -> list[Deed]:
        """Take news, and pass them on if they are."""
        newer = self._take(now, news.members)
        if not newer or self.stage is not Stage.IN:
            return []
        return [*self._onward(Changed(newer, news.dimension, news.hops)), *self._live_on(now)]

    def compare(self, now: float, sender: str, table: Table) -> list[Deed]:
        """Somebody's whole table: take what is newer, tell it to the others, and give ours if it is wanted."""
        newer = self._take(now, table.members)
        deeds = [*self._onward(Changed(newer)), *self._live_on(now)] if newer and self.stage is Stage.IN else []
        return [*deeds, Say(sender, Table(self.members.all, wants=False))] if table.wants else deeds

    def fail(self, now: float, member_id: str) -> list[Deed]:
        """Give somebody up."""
        known = self.members.get(member_id)
        if known is None or known.status is not Status.ALIVE:
            return []
        return self._tell(now, msgspec.structs.replace(known, status=Status.FAILED))

    def leave(self, now: float) -> list[Deed]:
        """Say goodbye to one neighbour, which tells everybody: its broadcast goes through the cube without us."""
        place = self.members.place_of.get(self.me.id)
        self.stage = Stage.LEFT
        if place is None or len(self.members.places) == 1:
            return []
        neighbour = self.members.places[self.members.cube.neighbours(place)[-1]]
        return [Say(neighbour, Changed((msgspec.structs.replace(self.me, status=Status.LEFT),)))]

    # Those that were given up

    def strange(self, now: float, sender: str, address: str | None, strength: int) -> list[Deed]:
        """Somebody speaks that is not, or no longer, a member: tell it who is; not more than once a second."""
        if self.stage is not Stage.IN or address is None:
            return []
        if now - self._told_outcast.get(sender, float("-inf")) < self._timings.retry:
            return []
        self._told_outcast[sender] = now
        return [Send(address, Outcast(self.members.all, strength))]

    def outcast(self, now: float, sender: str, theirs: Outcast, strength: int) -> list[Deed]:
        """Others have given us up. Join them again, unless they are the ones to join us."""
        if self.stage is not Stage.IN:
            return []
        table = Members(theirs.members)
        if table.is_alive(self.me.id) or not table.places:
            return []
        if self.members.is_alive(sender):
            return self._contradict(now, table.get(self.me.id), sender)
        if (strength, _smallest(table)) > (theirs.strength, _smallest(self.members)):
            return self.strange(now, sender, self._address_of(sender), strength)
        return self._rejoin(now, table)

    def alive(self, now: float, sender: str, alive: Alive, strength: int) -> list[Deed]:
        """Somebody that may have been given up, or forgotten, says that it is alive."""
        if self.stage is not Stage.IN or sender != alive.member.id:
            return []
        newer = self._take(now, [alive.member])
        if newer:
            return self._onward(Changed(newer))
        return [] if self.members.is_alive(sender) else self.strange(now, sender, alive.member.address, strength)

    # Private

    def _ask(self, now: float) -> list[Deed]:
        if now - self._asked_at < self._timings.retry:
            return []
        if len(self.members.places) > 1 and now - self._began_at > self._timings.resume:
            return self._resume(now)
        self._asked_at = now
        if not self._seeds:
            return []
        seed = self._seeds.pop(0)
        self._seeds.append(seed)
        return [Send(seed, Join(self.me))]

    def _resume(self, now: float) -> list[Deed]:
        """Nobody is there: the whole network may have been down. Go on with the table of before."""
        known = self.members.get(self.me.id)
        incarnation = max(self.me.incarnation, known.incarnation + 1 if known else 1)
        claim = known.claim if known else self.members.free_claim()
        self.me = msgspec.structs.replace(self.me, incarnation=incarnation, claim=claim, status=Status.ALIVE)
        self.stage = Stage.IN
        return self._tell(now, self.me)

    def _integrate(self, now: float, asking: Member, known: Member | None) -> list[Deed]:
        was_alive = known is not None and known.status is Status.ALIVE
        claim = known.claim if known is not None and was_alive else self.members.free_claim()
        incarnation = max(asking.incarnation, known.incarnation + 1 if known else 1)
        start = known.start if known else asking.start
        member = msgspec.structs.replace(asking, claim=claim, incarnation=incarnation, status=Status.ALIVE, start=start)
        return [*self._tell(now, member), self._welcome(member)]

    def _welcome(self, member: Member) -> Deed:
        return Send(member.address, Welcome(self.members.all, dict(self.heard)))

    def _tell(self, now: float, member: Member) -> list[Deed]:
        self._take(now, [member])
        return self._onward(Changed((member,)))

    def _onward(self, news: Changed) -> list[Deed]:
        place = self.members.place_of.get(self.me.id)
        if place is None:
            return []
        ways = self.members.cube.onward(place, news.dimension)
        return [
            Say(self.members.places[other], Changed(news.members, dimension, news.hops + 1))
            for dimension, other in ways
        ]

    def _take(self, now: float, news: Sequence[Member]) -> tuple[Member, ...]:
        newer = self.members.merge(news)
        if newer:
            self._moved_at = now
        for member in newer:
            self.heard.setdefault(member.id, member.start)
            if member.id == self.me.id:
                self.me = member
        return newer

    def _contradict(self, now: float, said: Member | None, sender: str | None = None) -> list[Deed]:
        """Others say that we are gone: say that we are not, in a higher incarnation than they know."""
        known = said.incarnation if said is not None else 0
        me = msgspec.structs.replace(self.me, status=Status.ALIVE, incarnation=max(self.me.incarnation, known + 1))
        deeds = self._tell(now, me)
        self.me = me
        address = None if sender is None else self._address_of(sender)
        return deeds if address is None else [*deeds, Send(address, Alive(me))]

    def _live_on(self, now: float) -> list[Deed]:
        return self._contradict(now, self.me) if self.me.status is not Status.ALIVE else []

    def _rejoin(self, now: float, table: Members) -> list[Deed]:
        """Take the table of the others, and come back to them as a newcomer."""
        known = table.get(self.me.id)
        incarnation = max(self.me.incarnation, known.incarnation if known else 0) + 1
        self.members.replace(table.all)
        self.me = msgspec.structs.replace(self.me, incarnation=incarnation, status=Status.ALIVE)
        seeds = [member.address for member in table.all if member.status is Status.ALIVE]
        self._rng.shuffle(seeds)
        return self.join(now, seeds)

    def _call(self, now: float) -> list[Deed]:
        """Tell anybody now and then that we are alive.

        Whoever let us in may have been lost, or have taken the table of others, before the news of us had spread: then
        nobody knows us, nor our address to tell us so.
        """
        if now - self._called_at < self._timings.seek or len(self.members.places) < 2:
            return []
        self._called_at = now
        other = self.members.get(self._rng.choice(self.members.places))
        return [] if other is None or other.id == self.me.id else [Send(other.address, Alive(self.me))]

    def _claim_place(self, now: float) -> list[Deed]:
        """Claim the place that we have come to stand in, so that the next change moves nobody without need."""
        place = self.members.place_of.get(self.me.id)
        if place is None or place == self.me.claim:
            return []
        self.me = msgspec.structs.replace(self.me, claim=place, incarnation=self.me.incarnation + 1)
        return self._tell(now, self.me)

    def _address_of(self, member_id: str) -> str | None:
        member = self.members.get(member_id)
        return None if member is None else member.address


def _smallest(members: Members) -> str:
    return min(members.places, default="")
