"""The log of a machine's inputs, and its snapshot, in the store of the node.

A restart restores the snapshot and takes the inputs after it. What comes of them is dropped: what has not left is sent
again by those who repeat it.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from msgspec import Struct

from triplewire.errors import DamagedStore, TriplewireError
from triplewire.federation.inputs import decode_input, encode_input
from triplewire.federation.machine import MachineSetup, RuleMachine
from triplewire.node.store import Store
from triplewire.store.disk import Connection
from triplewire.store.tables import federation

# A snapshot costs about as much as what it spares the next start.
_LEAST_BYTES = 4 << 20
_FACTOR = 2
_TIME = struct.Struct(">d")


class RestoredMachine(Struct):
    """A machine as it was, the number of its last input, and the time of the rules then."""

    machine: RuleMachine
    number: int
    now: float
    log_bytes: int
    snapshot_bytes: int


class InputLog:
    """Writes inputs in their order. `number` is that of the last one on the disk."""

    def __init__(self, store: Store, restored: RestoredMachine) -> None:
        self._store = store
        self.number = restored.number
        self.bytes = restored.log_bytes
        self.snapshot_bytes = restored.snapshot_bytes

    @property
    def is_long(self) -> bool:
        """Whether a snapshot would pay."""
        return self.bytes > max(_LEAST_BYTES, _FACTOR * self.snapshot_bytes)

    async def append(self, inputs: Sequence[bytes]) -> None:
        """Write inputs, all of them or none. Raises `DiskFull`, after which the same may be tried again."""
        first = self.number + 1
        await self._store.write(lambda tx: federation.append(tx, first, inputs))
        self.number += len(inputs)
        self.bytes += sum(map(len, inputs))

    async def put_snapshot(self, now: float, data: bytes) -> None:
        """Keep a snapshot of a machine that has taken all that is in the log; the log begins anew."""
        upto = self.number
        await self._store.write(lambda tx: federation.put_snapshot(tx, upto, _TIME.pack(now) + data))
        self.bytes, self.snapshot_bytes = 0, len(data)


def restored(tx: Connection, setup: MachineSetup) -> RestoredMachine:
    """The machine as the last process left it. Takes a while. Raises `DamagedStore`."""
    kept = federation.snapshot(tx)
    found = RestoredMachine(RuleMachine(setup), 0, 0.0, 0, 0)
    if kept is not None:
        found.number, data = kept
        [found.now] = _TIME.unpack_from(data)
        found.snapshot_bytes = len(data)
        found.machine = RuleMachine.restore(data[_TIME.size :])
    for number, data in federation.inputs(tx, found.number):
        if number != found.number + 1:
            wanted = f"the input {found.number + 1} of the rules across super-peers"
            raise DamagedStore(wanted=wanted, found=str(number), position=number)
        _take(found, number, data)
    return found


def _take(found: RestoredMachine, number: int, data: bytes) -> None:
    try:
        given = decode_input(data)
        found.machine.take(given)
    except TriplewireError as problem:
        wanted = f"the input {number} of the rules across super-peers as it was taken before"
        raise DamagedStore(wanted=wanted, found=str(problem), position=number) from None
    found.number, found.now = number, given.now
    found.log_bytes += len(data)


__all__ = ["InputLog", "RestoredMachine", "encode_input", "restored"]
