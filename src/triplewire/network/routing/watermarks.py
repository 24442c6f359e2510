"""Tides: how far everything of an origin has been heard, and recalls of what was not.

Nothing on its way is kept on a disk but the log of the super-peer where it was published. So each super-peer knows
for each origin up to which position it has got everything that it wants: `heard`. A tide says so downwards, link by
link. It comes after the events that it speaks of, since links keep the order. When something changes that an event
could fall through (a link, a session, the cube, an index), the lower side recalls: it says how far it has heard, that
goes up to the origins, and they send again what came after, in order. An empty tide answers a recall at once; both
sides count recalls to know which. Until then tides do not count, and events of the origins that were recalled are
dropped: they were sent before, and come again in their place. So events of one origin always arrive in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from triplewire.network.effects import Deed, Replay, Say
from triplewire.network.messages import Subscribe, Tide
from triplewire.network.routing.attachment_table import Ways
from triplewire.network.routing.attachments import Downstream, Upstream


class Tides:
    """How far one super-peer has heard each origin; its own log's end stands under its own name."""

    def __init__(self, ways: Ways, heard: dict[str, int]) -> None:
        self.heard = heard
        self._ways = ways
        # In order, like everything here: a run is to be the same from the same seed.
        self._risen: dict[str, None] = {}
        self._tickets = 0
        self._replays: dict[int, tuple[str, int]] = {}

    # Upwards

    def recall_all(self, up: Upstream) -> dict[str, int]:
        """A recall of everything in a dimension, with what was to be recalled anyway; the caller sends it."""
        wanted = {origin: self.heard[origin] for origin in self._ways.behind(up.dimension) if origin in self.heard}
        wanted |= up.take_recall()
        up.doubtful |= dict.fromkeys(wanted, up.recalls)
        return wanted

    def recall(self, wanted: Mapping[str, int]) -> None:
        """Recall origins since positions, each in its dimension, with the next tick.

        Many may recall at once, as when somebody has failed: what they want is put together, so that each link carries
        one recall a tick at most.
        """
        for origin, position in wanted.items():
            dimension = self._ways.dimension_of.get(origin)
            up = None if dimension is None else self._ways.up.get(dimension)
            if dimension is None:
                continue
            self.heard[origin] = min(self.heard.get(origin, position), position)
            # Without an attachment it waits for one: the first subscription over it recalls everything.
            if up is not None and up.is_known:
                up.recall(origin, self.heard[origin])

    def flush(self) -> list[Deed]:
        """Send what is to be recalled."""
        waiting = [up for up in self._ways.up.values() if up.recalled is not None]
        return [Say(up.other, Subscribe(up.dimension, (), (), up.take_recall())) for up in waiting]

    def rise(self, up: Upstream, tide: Tide) -> None:
        """Take a tide from above, for those origins that were not recalled since."""
        if not up.is_known:
            return
        up.answered(tide.recalls)
        for origin, position in tide.positions.items():
            if self._ways.dimension_of.get(origin) == up.dimension and origin not in up.doubtful:
                self.advance(origin, position)

    def advance(self, origin: str, position: int) -> None:
        """Everything of an origin up to a position is heard."""
        if position > self.heard.get(origin, -1):
            self.heard[origin] = position
            self._risen[origin] = None

    # Downwards

    def recalled(self, down: Downstream, recall: Mapping[str, int]) -> list[Deed]:
        """The one below wants something again: from our own log, and from those above."""
        down.recalls += 1
        down.told = {}
        down.is_told = False
        down.forget(recall)
        down.unsure.difference_update(recall)
        dimension_of = self._ways.dimension_of
        above = {
            origin: position for origin, position in recall.items() if dimension_of.get(origin, -1) > down.dimension
        }
        down.unmet |= {origin: recall[origin] for origin in recall if origin not in above and origin != self._ways.me}
        self.recall(above)
        answer = Say(down.other, Tide(down.dimension, {}, down.recalls))
        return [answer, *(self._replay(down, recall[self._ways.me]) if self._ways.me in recall else [])]

    def tell(self) -> list[Deed]:
        """Tides for everybody below: what has risen since the last."""
        risen, self._risen = self._risen, {}
        deeds: list[Deed] = []
        for down in self._ways.downs():
            if down.recalls:
                deeds += self._tell(down, risen if down.is_told else list(self.heard))
                down.is_told = True
        return deeds

    def _tell(self, down: Downstream, origins: Iterable[str]) -> list[Deed]:
        risen = {}
        for origin in origins:
            position = self.heard[origin]
            if position > down.told.get(origin, -1) and self._may_tell(down, origin):
                risen[origin] = down.told[origin] = position
        return [Say(down.other, Tide(down.dimension, risen, down.recalls))] if risen else []

    def _may_tell(self, down: Downstream, origin: str) -> bool:
        if origin == self._ways.me:
            return down.replaying is None
        return self._ways.dimension_of.get(origin, -1) > down.dimension and origin not in down.unsure

    # Replays of our own log

    def _replay(self, down: Downstream, after: int) -> list[Deed]:
        if after >= self.heard.get(self._ways.me, 0):
            return []
        down.replaying = after if down.replaying is None else min(after, down.replaying)
        self._replays.pop(down.ticket, None)
        return [self._read(down)]

    def _read(self, down: Downstream) -> Deed:
        self._tickets += 1
        down.ticket = self._tickets
        self._replays[down.ticket] = down.origin
        return Replay(down.ticket, down.replaying or 0)

    def replaying(self, ticket: int) -> Downstream | None:
        """For whom a replay was wanted, if it still is."""
        origin = self._replays.pop(ticket, None)
        down = None if origin is None else self._ways.down.get(origin)
        return down if down is not None and down.ticket == ticket and down.replaying is not None else None

    def came_to(self, down: Downstream, position: int) -> list[Deed]:
        """A replay has come so far: read on, or be done."""
        if position < self.heard.get(self._ways.me, 0):
            down.replaying = position
            return [self._read(down)]
        down.replaying = None
        self._risen[self._ways.me] = None
        return []
