"""Effects: what a node of a space asks of the shell around it."""

from __future__ import annotations

from msgspec import Struct

from triplewire.network.can.messages import Address, Message
from triplewire.network.can.space import Bounds, Zone


class Send(Struct, frozen=True):
    """Send a message to an address. It may get lost."""

    to: str
    message: Message


class MulticastReceived(Struct, frozen=True):
    """A multicast has arrived for these parts of our zones. It has not been handled there before."""

    id: str
    origin: Address
    boxes: tuple[Bounds, ...]
    body: bytes


class MulticastCompleted(Struct, frozen=True):
    """Every zone that our multicast's bounds touch has received it."""

    id: str


class Orphaned(Struct, frozen=True):
    """Others own these zones now, by a higher epoch: multicast what is stored there to its owners, then discard it.

    Where the new owner has it already, from a replica, this changes nothing.
    """

    zones: tuple[Zone, ...]


class TakenOver(Struct, frozen=True):
    """We own these zones of a failed node now. Without a replica their contents are lost."""

    owner: str
    zones: tuple[Zone, ...]
    has_replica: bool


class Replicated(Struct, frozen=True):
    """What was given to `CanNode.replicate` with this ticket is kept by the holder of our replica, too."""

    ticket: int


class Refused(Struct, frozen=True):
    """A message claimed what its sender was not given (row A12)."""

    sender: str
    reason: str


Effect = Send | MulticastReceived | MulticastCompleted | Orphaned | TakenOver | Replicated | Refused
