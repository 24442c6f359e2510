"""Watermarks: up to which position everything of an origin was received, and recalls of the rest.

An event in flight is on no disk but that of the super-peer where it was published. So each super-peer keeps for each
origin the position up to which it has received everything that matches: its watermark. Watermarks are sent downstream,
link by link, after the events that they cover, since links keep the order. When something changes so that an event
could be lost (a link, a session, the cube, an index), the downstream sends a recall: its watermarks, which go up to the
origins, and they send again what came after, in order. An empty update answers a recall at once; both sides count
recalls to know which. Until then watermarks of recalled origins are ignored, and their events dropped: they were sent
before the recall, and come again after it. So events of one origin always arrive in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from triplewire.network.effects import Action, Replay, SendMessage
from triplewire.network.messages import Subscribe, WatermarkUpdate
from triplewire.network.routing.attachments import AttachmentTable, Downstream, Upstream


class Watermarks:
    """The watermarks of one super-peer. Under its own identifier is the end of its own log."""

    def __init__(self, attachments: AttachmentTable, positions: dict[str, int]) -> None:
        self.positions = positions
        self._attachments = attachments
        # In order, like everything here: a run is to be the same from the same seed.
        self._advanced: dict[str, None] = {}
        self._last_ticket = 0
        self._replays: dict[int, tuple[str, int]] = {}

    # Upstream

    def recall_all(self, up: Upstream) -> dict[str, int]:
        """A recall of every origin in a dimension, with the one that waits; the caller sends it."""
        wanted = {
            origin: self.positions[origin]
            for origin in self._attachments.behind(up.dimension)
            if origin in self.positions
        }
        wanted |= up.take_recall()
        up.unanswered |= dict.fromkeys(wanted, up.recalls)
        return wanted

    def recall(self, wanted: Mapping[str, int]) -> None:
        """Recall origins since positions, each in its dimension, with the next tick.

        Many may recall at once, as after a failure: the recalls are merged, so that each link carries at most one a
        tick.
        """
        for origin, position in wanted.items():
            dimension = self._attachments.dimension_of.get(origin)
            up = None if dimension is None else self._attachments.upstream.get(dimension)
            if dimension is None:
                continue
            self.positions[origin] = min(self.positions.get(origin, position), position)
            # Without an attachment it waits for one: the first subscription over it recalls everything.
            if up is not None and up.is_open:
                up.recall(origin, self.positions[origin])

    def flush_recalls(self) -> list[Action]:
        """Send the recalls that wait."""
        waiting = [up for up in self._attachments.upstream.values() if up.recalled is not None]
        return [SendMessage(up.other, Subscribe(up.dimension, (), (), up.take_recall())) for up in waiting]

    def receive(self, up: Upstream, update: WatermarkUpdate) -> None:
        """Take the watermarks of an upstream, except for origins that were recalled since."""
        if not up.is_open:
            return
        up.answered(update.recalls)
        for origin, position in update.positions.items():
            if self._attachments.dimension_of.get(origin) == up.dimension and origin not in up.unanswered:
                self.advance(origin, position)

    def advance(self, origin: str, position: int) -> None:
        """Raise the watermark of an origin."""
        if position > self.positions.get(origin, -1):
            self.positions[origin] = position
            self._advanced[origin] = None

    # Downstream

    def answer_recall(self, down: Downstream, recall: Mapping[str, int]) -> list[Action]:
        """A downstream recalls: replay our own log, and recall the rest from upstream."""
        down.recalls += 1
        down.announced = {}
        down.is_announced = False
        down.forget(recall)
        down.awaiting_recall.difference_update(recall)
        dimension_of = self._attachments.dimension_of
        above = {
            origin: position for origin, position in recall.items() if dimension_of.get(origin, -1) > down.dimension
        }
        down.early_recalls |= {
            origin: recall[origin] for origin in recall if origin not in above and origin != self._attachments.me
        }
        self.recall(above)
        answer = SendMessage(down.other, WatermarkUpdate(down.dimension, {}, down.recalls))
        return [answer, *(self._replay(down, recall[self._attachments.me]) if self._attachments.me in recall else [])]

    def announce(self) -> list[Action]:
        """Send each downstream the watermarks that have advanced."""
        advanced, self._advanced = self._advanced, {}
        actions: list[Action] = []
        for down in self._attachments.downstreams():
            if down.recalls:
                actions += self._announce(down, advanced if down.is_announced else list(self.positions))
                down.is_announced = True
        return actions

    def _announce(self, down: Downstream, origins: Iterable[str]) -> list[Action]:
        advanced = {}
        for origin in origins:
            position = self.positions[origin]
            if position > down.announced.get(origin, -1) and self._may_announce(down, origin):
                advanced[origin] = down.announced[origin] = position
        return [SendMessage(down.other, WatermarkUpdate(down.dimension, advanced, down.recalls))] if advanced else []

    def _may_announce(self, down: Downstream, origin: str) -> bool:
        if origin == self._attachments.me:
            return down.replayed_to is None
        return self._attachments.dimension_of.get(origin, -1) > down.dimension and origin not in down.awaiting_recall

    # Replays of our own log

    def _replay(self, down: Downstream, after: int) -> list[Action]:
        if after >= self.positions.get(self._attachments.me, 0):
            return []
        down.replayed_to = after if down.replayed_to is None else min(after, down.replayed_to)
        self._replays.pop(down.ticket, None)
        return [self._request_replay(down)]

    def _request_replay(self, down: Downstream) -> Action:
        self._last_ticket += 1
        down.ticket = self._last_ticket
        self._replays[down.ticket] = down.origin
        return Replay(down.ticket, down.replayed_to or 0)

    def replay_target(self, ticket: int) -> Downstream | None:
        """The downstream that a replay was requested for, if it still waits."""
        origin = self._replays.pop(ticket, None)
        down = None if origin is None else self._attachments.downstream.get(origin)
        return down if down is not None and down.ticket == ticket and down.replayed_to is not None else None

    def replay_reached(self, down: Downstream, position: int) -> list[Action]:
        """A replay has reached a position: read on, or finish."""
        if position < self.positions.get(self._attachments.me, 0):
            down.replayed_to = position
            return [self._request_replay(down)]
        down.replayed_to = None
        self._advanced[self._attachments.me] = None
        return []
