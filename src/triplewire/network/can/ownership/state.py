"""What the parts of an ownership share: claims, the record, and what is stored here and belongs to others.

Everything that must survive a crash is in the journal: claims, stage and orphans here, what is known of others in the
table of neighbours, kept replicas and transfers with those who handle them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from random import Random

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from triplewire.network.can.contents import Contents
from triplewire.network.can.geometry.space import SPACE, Box, Zone
from triplewire.network.can.journal import Journal
from triplewire.network.can.messages import Address, Claim, Record
from triplewire.network.can.ownership.claims import merged, minus
from triplewire.network.can.ownership.neighbours import NeighbourTable
from triplewire.network.can.timings import Timings

_TABLE = "claims"
_KEY = b"self"
_NEVER = float("-inf")


class Stage(Enum):
    """The state of a node's own membership."""

    OUTSIDE = "outside"
    JOINING = "joining"
    IN = "in"
    LEAVING = "leaving"
    LEFT = "left"


class _Saved(Struct, frozen=True, array_like=True):
    incarnation: int = 0
    stage: Stage = Stage.OUTSIDE
    claims: tuple[Claim, ...] = ()
    orphans: tuple[Box, ...] = ()
    seeds: tuple[str, ...] = ()


_DECODER = msgspec.msgpack.Decoder(_Saved)


class State:
    """The zones of one node, and what it knows of others."""

    def __init__(self, me: Address, contents: Contents, journal: Journal, rng: Random, timings: Timings) -> None:
        self.me = me
        self.contents = contents
        self.journal = journal
        self.rng = rng
        self.timings = timings
        found = journal.get(_TABLE, _KEY)
        saved = _Saved() if found is None else _DECODER.decode(found)
        self.is_resumed = saved.stage is not Stage.OUTSIDE
        """Whether this goes on with what an earlier process has saved."""
        self.stage = saved.stage
        self.claims = saved.claims
        self.orphans = list(saved.orphans)
        """Boxes of which something is stored here that belongs to others, and has to be deposited there."""
        self.losses = 0
        """How often something has become an orphan."""
        self.seeds = list(saved.seeds)
        self.table = NeighbourTable(me.id, journal, timings)
        self.record = Record(me.id, me.address, saved.incarnation + 1, claims=saved.claims)
        self.is_confirmed = not self.claims
        """Whether somebody has confirmed the claims of an earlier process."""
        self.unrest_at = _NEVER
        """When we last saw somebody fail, or were out of contact ourselves."""
        self._numbers = 0
        self.save()

    # Reading

    @property
    def is_in(self) -> bool:
        return self.stage in (Stage.IN, Stage.LEAVING)

    @property
    def zones(self) -> tuple[Zone, ...]:
        return tuple(claim.zone for claim in self.claims)

    @property
    def is_alone(self) -> bool:
        """Whether nobody else is left who could own or keep anything."""
        return not self.table.known and self.stage is not Stage.OUTSIDE and not minus([SPACE], self.zones)

    def is_calm(self, now: float, but: str = "") -> bool:
        """Whether nobody has failed or come back for a while. What a claimant itself says of that does not count."""
        return now - self.last_unrest(now, but) > self.timings.remember

    def last_unrest(self, now: float, but: str = "") -> float:
        """When there was unrest, as we saw it ourselves or were told by those that we have known for a while."""
        old = now - self.timings.remember
        told = (
            member.calm_since
            for node, member in self.table.known.items()
            if node != but and member.since <= old and member.departed is None
        )
        return max(self.unrest_at, *told, _NEVER)

    def load(self, zones: Iterable[Zone] | None = None) -> int:
        return sum(self.contents.load(zone) for zone in (self.zones if zones is None else zones))

    # Changing

    def number(self) -> str:
        """A name for something of ours that no other has."""
        self._numbers += 1
        return f"{self.me.id}.{self.record.incarnation}.{self._numbers}"

    def own(self, now: float, claims: Iterable[Claim]) -> None:
        """Own these zones from now on."""
        self.claims = merged(claims)
        if self.orphans:
            self.orphans = minus(self.orphans, self.zones)
        self.update(claims=self.claims)
        self.table.own(now, self.claims)
        self.save()

    def enter(self, stage: Stage) -> None:
        self.stage = stage
        self.update(is_leaving=stage is Stage.LEAVING)
        self.save()

    def orphan(self, boxes: Sequence[Box]) -> None:
        """What is stored in these boxes belongs to others, where it is not ours."""
        self.losses += 1
        self.orphans += minus(boxes, [*self.zones, *self.orphans])
        self.save()

    def update(self, **changes: object) -> None:
        """Change our record."""
        fresh = replace(self.record, **changes)
        if fresh != self.record:
            self.record = replace(fresh, version=self.record.version + 1)

    def save(self) -> None:
        saved = _Saved(self.record.incarnation, self.stage, self.claims, tuple(self.orphans), tuple(self.seeds))
        self.journal.put(_TABLE, _KEY, msgspec.msgpack.encode(saved))
