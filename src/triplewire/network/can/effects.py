"""Effects: what a node of a space asks of the shell around it."""

from __future__ import annotations

from msgspec import Struct

from triplewire.network.can.geometry.space import Bounds, Point, Zone
from triplewire.network.can.messages import Address, Message


class Send(Struct, frozen=True):
    """Send a message to an address. It may get lost."""

    to: str
    message: Message


class Received(Struct, frozen=True):
    """A message has arrived for these points and boxes of ours; without any, for this node itself.

    The consumer calls `CanNode.receipt` when what it changed is durable. Until then the origin repeats the message.
    """

    cast_id: str
    origin: Address
    points: tuple[Point, ...]
    boxes: tuple[Bounds, ...]
    body: bytes


class Completed(Struct, frozen=True):
    """Everybody whom our message was for has receipted it."""

    cast_id: str


class Deposit(Struct, frozen=True):
    """What is stored here and belongs to others. The node itself sends it, as a multicast to these boxes."""

    cast_id: str
    boxes: tuple[Bounds, ...]
    chunk: bytes


class Deposited(Struct, frozen=True):
    """Somebody who is not the owner of these boxes, or not any more, has sent what it has of their contents.

    It is to be handled like messages: what is in it may never have met what is stored here. Then `CanNode.receipt` says
    that it is safe here, and the sender discards it.
    """

    cast_id: str
    origin: Address
    boxes: tuple[Bounds, ...]
    chunk: bytes


class TakenOver(Struct, frozen=True):
    """We own these zones of a failed node now. Without a replica, whoever keeps it deposits the contents.

    There may be no zones, where others own them: then only the messages that it had under way were taken over.
    """

    owner: str
    zones: tuple[Zone, ...]
    has_replica: bool


class Replicated(Struct, frozen=True):
    """What was given to `CanNode.replicate` with this ticket is kept by the holder of our replica, too."""

    ticket: int


class Refused(Struct, frozen=True):
    """A message was refused: it claimed what its sender was not given (row A12), or is of another `fault`."""

    sender: str
    reason: str
    fault: str = "claim"


Effect = Send | Received | Completed | Deposit | Deposited | TakenOver | Replicated | Refused
