"""Messages that have arrived: until the consumer is done with them, and for a while after, to recognise repeats."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from triplewire.network.can.geometry.space import Bounds, Point
from triplewire.network.can.messages import Address
from triplewire.network.can.messaging.multicasts import HandledMulticasts
from triplewire.network.can.ownership.claims import minus


class Pending(Struct):
    """A message that the consumer has and has not receipted."""

    origin: Address
    points: list[Point]
    boxes: list[Bounds]


class Arrival(Struct, frozen=True):
    """What of a message is new here, and what was receipted before and is receipted again."""

    points: tuple[Point, ...]
    boxes: tuple[Bounds, ...]
    receipted_points: tuple[Point, ...] = ()
    receipted_boxes: tuple[Bounds, ...] = ()

    @property
    def is_receipted(self) -> bool:
        return bool(self.receipted_points or self.receipted_boxes)


class IncomingCasts:
    """Where messages were handled. The memory only saves work: consumers bear to get the same again."""

    def __init__(self, handled: HandledMulticasts, remember: float) -> None:
        self._handled = handled
        self._turn_every = remember / 2
        self._turned = float("-inf")
        self._pending: dict[str, Pending] = {}
        # Receipted messages to points and to this node: the recent ones, and those before.
        self._recent: dict[str, set[Point]] = {}
        self._older: dict[str, set[Point]] = {}

    def arrive(
        self, now: float, cast_id: str, origin: Address, points: Sequence[Point], boxes: Sequence[Bounds]
    ) -> Arrival:
        """Note a message for some points and boxes of ours."""
        pending, done = self._pending.get(cast_id), self._done(cast_id)
        if pending is None and done is None and not boxes:
            self._pending[cast_id] = Pending(origin, list(points), [])
            return Arrival(tuple(points), ())
        done, known = done or set(), set(pending.points) if pending else set()
        new_points = tuple(point for point in points if point not in done and point not in known)
        handled = self._handled.boxes(cast_id)
        new_boxes = tuple(minus(boxes, [*handled, *(pending.boxes if pending else ())]))
        if new_points or new_boxes:
            pending = self._pending.setdefault(cast_id, Pending(origin, [], []))
            pending.points += new_points
            pending.boxes += new_boxes
        if pending is not None:
            pending.origin = origin
        again = tuple(box.intersection(seen) for box in boxes for seen in handled if box.touches(seen))
        return Arrival(new_points, new_boxes, tuple(point for point in points if point in done), again)

    def arrive_directly(self, cast_id: str, origin: Address) -> bool | None:
        """Note a message for this node: whether it is new; None if it waits for the consumer."""
        if cast_id in self._pending:
            self._pending[cast_id].origin = origin
            return None
        if self._done(cast_id) is not None:
            return False
        self._pending[cast_id] = Pending(origin, [], [])
        return True

    def receipt(self, now: float, cast_id: str) -> Pending | None:
        """The consumer is done with all that has arrived of a message."""
        pending = self._pending.pop(cast_id, None)
        if pending is None:
            return None
        for box in pending.boxes:
            self._handled.handle(now, cast_id, box)
        if pending.points or not pending.boxes:
            self._recent.setdefault(cast_id, set()).update(pending.points)
        return pending

    def drop(self, cast_id: str) -> None:
        """The consumer does not take it: it is new when it comes again."""
        self._pending.pop(cast_id, None)

    def prune(self, now: float) -> None:
        self._handled.prune(now)
        if now - self._turned >= self._turn_every:
            self._turned = now
            self._older, self._recent = self._recent, {}

    def _done(self, cast_id: str) -> set[Point] | None:
        recent, older = self._recent.get(cast_id), self._older.get(cast_id)
        if recent is None or older is None:
            return older if recent is None else recent
        return recent | older
