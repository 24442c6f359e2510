"""Our own messages, until everybody that they are for has receipted them. Durable ones are in the journal as well.

Of the messages to a node that does not answer only one is repeated, as a probe, in the end every few minutes. As soon
as the node receipts it, or is heard from, all of them are due.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from triplewire.network.can.geometry.space import Bounds, Point
from triplewire.network.can.journal import Journal
from triplewire.network.can.messages import Address
from triplewire.network.can.ownership.claims import minus

OUTBOX = "outbox"
"""The journal's table of durable messages. It goes along with the replica: whoever takes over sends them."""
# The time between two attempts is doubled so often, at most. A receipt for a part of it begins anew.
_MOST_DOUBLINGS = 3
# A node that has not answered so many times may never do so: only one message to it is repeated.
_FUTILE = 8
# After so many attempts in vain the pauses of that one grow further, up to so many doublings: about eight minutes.
_LONG_FUTILE, _MOST_PROBE_DOUBLINGS = 64, 9


class KeptCast(Struct, frozen=True, array_like=True):
    """A message in the journal: to a node, or to points and boxes."""

    body: bytes
    points: tuple[Point, ...] = ()
    boxes: tuple[Bounds, ...] = ()
    to: Address | None = None


class OutgoingCast(Struct):
    """A message under way: `points` that nobody has receipted, and what is missing of each of its bounds.

    `asked` has the bounds of the last attempt, if that left some out: once they are receipted, the others have a turn.
    """

    id: str
    body: bytes
    points: dict[Point, None]
    boxes: dict[Bounds, list[Bounds]]
    to: Address | None
    is_durable: bool
    attempt: int = 0
    futile: int = 0
    due: float = float("-inf")
    first_sent: float = float("inf")
    asked: tuple[Bounds, ...] = ()

    @property
    def is_complete(self) -> bool:
        return self.to is None and not self.points and not self.boxes


_DECODER = msgspec.msgpack.Decoder(KeptCast)
_ENCODER = msgspec.msgpack.Encoder()


class OutgoingCasts:
    """Messages under way, by their identifiers."""

    def __init__(self, journal: Journal, retry: float) -> None:
        self._journal = journal
        self._retry = retry
        self._casts: dict[str, OutgoingCast] = {}
        self._probes: dict[str, str] = {}
        """The message that is repeated to a node that does not answer, by that node."""
        self.adopt()

    def __len__(self) -> int:
        return len(self._casts)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is under way, but for messages to nodes that have not answered for long."""
        return all(self._is_futile(cast) for cast in self._casts.values())

    @property
    def durable(self) -> int:
        """How many durable messages are under way, but for those to nodes that have not answered for long."""
        return sum(cast.is_durable and not self._is_futile(cast) for cast in self._casts.values())

    def add(self, cast_id: str, kept: KeptCast, is_durable: bool) -> OutgoingCast | None:
        """A new message; None if it is under way already."""
        if cast_id in self._casts:
            return None
        if is_durable:
            self._journal.put(OUTBOX, cast_id.encode(), _ENCODER.encode(kept))
        return self._begin(cast_id, kept, is_durable)

    def get(self, cast_id: str) -> OutgoingCast | None:
        return self._casts.get(cast_id)

    def adopt(self) -> list[OutgoingCast]:
        """Durable messages in the journal that are not under way: of an earlier process, or of a node that failed."""
        found = [(key.decode(), value) for key, value in self._journal.items(OUTBOX)]
        return [self._begin(key, _DECODER.decode(value), True) for key, value in found if key not in self._casts]

    def cancel(self, cast_id: str) -> None:
        cast = self._casts.pop(cast_id, None)
        if cast is None:
            return
        if cast.is_durable:
            self._journal.delete(OUTBOX, cast_id.encode())
        if cast.to is not None and self._probes.get(cast.to.id) == cast_id:
            # Another one takes its place.
            del self._probes[cast.to.id]

    def direct(self) -> list[OutgoingCast]:
        """The durable messages to nodes."""
        return [cast for cast in self._casts.values() if cast.to is not None and cast.is_durable]

    def cancel_to(self, node: str) -> None:
        """Nobody is there any more to receipt what is under way to a node."""
        for cast in [cast for cast in self._casts.values() if cast.to is not None and cast.to.id == node]:
            self.cancel(cast.id)

    def due(self, now: float) -> Iterator[OutgoingCast]:
        return (cast for cast in list(self._casts.values()) if cast.due <= now and not self._is_held_back(cast))

    def attempt(self, now: float, cast: OutgoingCast) -> None:
        """Note that a message is sent now."""
        cast.attempt += 1
        if cast.to is not None and cast.futile >= _FUTILE:
            self._probes.setdefault(cast.to.id, cast.id)
        cast.due = now + self._retry * (1 << _doublings(cast))
        cast.futile += 1

    def heard(self, node: str) -> None:
        """A node that did not answer lives: everything that waits for it is due."""
        if self._probes.pop(node, None) is not None:
            for cast in self._casts.values():
                if cast.to is not None and cast.to.id == node:
                    cast.futile, cast.due = 0, float("-inf")

    def receipted(self, cast_id: str, points: Sequence[Point], boxes: Sequence[Bounds], by: str) -> bool:
        """Whether this receipt completes the message."""
        cast = self._casts.get(cast_id)
        if cast is None:
            return False
        if cast.to is not None and cast.to.id == by:
            self.heard(by)
            cast.to = None
        for point in points:
            cast.points.pop(point, None)
        if boxes and cast.boxes:
            _take_out(cast.boxes, boxes)
            if cast.asked and not any(bounds in cast.boxes for bounds in cast.asked):
                cast.asked, cast.due = (), float("-inf")
        cast.futile = 0
        if not cast.is_complete:
            return False
        self.cancel(cast_id)
        return True

    def _is_futile(self, cast: OutgoingCast) -> bool:
        """Whether the node that a message is for has not answered for long, this one or another."""
        return cast.to is not None and (cast.futile >= _FUTILE or cast.to.id in self._probes)

    def _is_held_back(self, cast: OutgoingCast) -> bool:
        return cast.to is not None and self._probes.get(cast.to.id, cast.id) != cast.id

    def _begin(self, cast_id: str, kept: KeptCast, is_durable: bool) -> OutgoingCast:
        missing = {box: [box] for box in kept.boxes}
        cast = OutgoingCast(cast_id, kept.body, dict.fromkeys(kept.points), missing, kept.to, is_durable)
        self._casts[cast_id] = cast
        return cast


def _doublings(cast: OutgoingCast) -> int:
    """How often the pause after this attempt is doubled."""
    if cast.to is None or cast.futile <= _LONG_FUTILE:
        return min(cast.futile, _MOST_DOUBLINGS)
    return min(cast.futile - _LONG_FUTILE + _MOST_DOUBLINGS, _MOST_PROBE_DOUBLINGS)


def kept_cast_in(value: bytes) -> KeptCast:
    """A message as the journal has it."""
    return _DECODER.decode(value)


def _take_out(missing: dict[Bounds, list[Bounds]], boxes: Sequence[Bounds]) -> None:
    """Take boxes out of what is missing. There may be many, most of them whole bounds."""
    parts = [box for box in boxes if missing.pop(box, None) is None]
    if parts:
        for bounds, left in list(missing.items()):
            missing[bounds] = minus(left, parts)
            if not missing[bounds]:
                del missing[bounds]
