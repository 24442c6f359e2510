"""The replicas that a node keeps for others, in the journal.

A replica is kept until its owner says that it is complete elsewhere, or until what is in it has been taken over or
deposited: never for a time only.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import Struct

from triplewire.network.can.geometry.space import Box
from triplewire.network.can.journal import Journal
from triplewire.network.can.messages import Record, Replica, ReplicaAck
from triplewire.network.can.ownership.claims import minus
from triplewire.network.can.ownership.parts import PartOrder

_TABLE = "replicas"


class KeptReplica(Struct, array_like=True):
    """A generation of another node's replica. `former` are all boxes that it had at any time."""

    generation: tuple[int, int]
    next: int = 0
    record: Record | None = None
    boxes: tuple[Box, ...] = ()
    former: tuple[Box, ...] = ()
    neighbours: tuple[Record, ...] = ()
    is_complete: bool = False


_DECODER = msgspec.msgpack.Decoder(KeptReplica)
_ENCODER = msgspec.msgpack.Encoder()


class KeptReplicas:
    """The replicas that we keep for others: heads in memory, all of it in the journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._kept: dict[str, dict[tuple[int, int], KeptReplica]] = {}
        self._orders: dict[tuple[str, tuple[int, int]], PartOrder[Replica]] = {}
        for key, value in journal.items(_TABLE, b"head "):
            owner = key.split(b" ", 1)[1].rsplit(b" ", 1)[0].decode()
            kept = _DECODER.decode(value)
            count = journal.get(_TABLE, _count_key(owner, kept.generation))
            kept.next = 0 if count is None else int.from_bytes(count)
            self._kept.setdefault(owner, {})[kept.generation] = kept

    @property
    def owners(self) -> list[str]:
        return list(self._kept)

    def of(self, owner: str) -> list[KeptReplica]:
        """The generations that we keep of an owner's replica, the earliest first."""
        return [kept for _, kept in sorted(self._kept.get(owner, {}).items())]

    def chunks(self, owner: str) -> Iterator[bytes]:
        """All that we keep for an owner, read from the journal bit by bit."""
        for kept in self.of(owner):
            for number in range(kept.next):
                chunk = self._journal.get(_TABLE, _part_key(owner, kept.generation, number))
                if chunk:
                    yield chunk

    def receive(self, owner: str, part: Replica) -> ReplicaAck:
        """Keep a part, and acknowledge all that we have in order."""
        generations = self._kept.get(owner, {})
        kept = generations.get(part.generation)
        if kept is None:
            if part.part or any(generation > part.generation for generation in generations):
                return ReplicaAck(part.generation, -1)
            kept = KeptReplica(part.generation)
            self._kept.setdefault(owner, generations)[part.generation] = kept
        order = self._orders.setdefault((owner, part.generation), PartOrder(kept.next))
        for ready in order.receive(part.part, part):
            self._keep(owner, kept, ready)
        return ReplicaAck(kept.generation, kept.next - 1)

    def drop(self, owner: str, before: tuple[int, int] | None = None) -> None:
        """Drop what we keep for an owner, all of it or what is older than a generation."""
        for kept in self.of(owner):
            if before is None or kept.generation < before:
                del self._kept[owner][kept.generation]
                self._orders.pop((owner, kept.generation), None)
                self._journal.delete(_TABLE, _head_key(owner, kept.generation))
                self._journal.delete(_TABLE, _count_key(owner, kept.generation))
                for number in range(kept.next):
                    self._journal.delete(_TABLE, _part_key(owner, kept.generation, number))
        if not self._kept.get(owner, True):
            del self._kept[owner]

    def _keep(self, owner: str, kept: KeptReplica, part: Replica) -> None:
        if part.contents:
            self._journal.put(_TABLE, _part_key(owner, kept.generation, part.part), part.contents)
        kept.next = part.part + 1
        self._journal.put(_TABLE, _count_key(owner, kept.generation), kept.next.to_bytes(8))
        if part.boxes is not None:
            kept.record, kept.boxes, kept.neighbours = part.record, part.boxes, part.neighbours
            kept.former = (*kept.former, *minus(part.boxes, kept.former))
        kept.is_complete |= part.is_complete
        if part.is_complete or part.boxes is not None:
            self._journal.put(_TABLE, _head_key(owner, kept.generation), _ENCODER.encode(kept))
        if part.is_complete:
            self.drop(owner, before=kept.generation)


def _head_key(owner: str, generation: tuple[int, int]) -> bytes:
    return b"head %s %016x%016x" % (owner.encode(), *generation)


def _count_key(owner: str, generation: tuple[int, int]) -> bytes:
    return b"count %s %016x%016x" % (owner.encode(), *generation)


def _part_key(owner: str, generation: tuple[int, int], number: int) -> bytes:
    return b"part %s %016x%016x %016x" % (owner.encode(), *generation, number)
