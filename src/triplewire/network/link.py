"""A link to one other super-peer: each message once and in order, or both ends learn that something was lost.

Messages are numbered within a session and kept until they are acknowledged; unacknowledged ones are retransmitted. A
session ends when one side restarts, or gives up on a receiver that does not keep up: then whatever was in flight is
lost, both sides learn it (`restarted`), and the router attaches again. So the queue for a slow or absent neighbour is
bounded, and no other layer needs a queue of its own.

Session numbers of one super-peer only grow, over its restarts too. A frame of an older session, or for an older session
of the receiver, is dropped: a frame that was recorded and is replayed does nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from msgspec import Struct

from triplewire.network.messages import LinkFrame, Message

WINDOW = 256
MAX_WAITING = 20_000
_ACK_AFTER = 16


class FrameResult(Struct, frozen=True):
    """What came of a frame: messages in order, frames to send in return, and whether the other side restarted."""

    messages: tuple[Message, ...] = ()
    frames: tuple[LinkFrame, ...] = ()
    restarted: bool = False


_NOTHING = FrameResult()


class Link:
    """One side of a link. `new_session` gives a higher number each time."""

    def __init__(self, new_session: Callable[[], int], now: float) -> None:
        self._new_session = new_session
        self._session = new_session()
        self._peer_session = 0
        self._waiting: deque[Message] = deque()
        self._in_flight: deque[Message] = deque()
        self._acked = 0
        self._received = 0
        self._out_of_order: dict[int, Message] = {}
        self._unacked = 0
        self._resend_after = now
        self._waiting_since = now
        self.answered_at = now

    # Sending

    def send(self, now: float, message: Message) -> list[LinkFrame]:
        """Queue a message; returns the frames to send now. The rest follows as the window opens."""
        if self.is_idle:
            self._waiting_since = now
        self._waiting.append(message)
        if not self._peer_session:
            return [self._ack_frame()] if len(self._waiting) == 1 else []
        return self._fill_window(now)

    @property
    def is_idle(self) -> bool:
        """Whether everything that was sent is acknowledged."""
        return not self._waiting and not self._in_flight

    @property
    def is_overrun(self) -> bool:
        """Whether the other side is so far behind that the link is to be restarted."""
        return len(self._waiting) > MAX_WAITING

    def silent_for(self, now: float) -> float:
        """How long the other side has owed an acknowledgement. That it sends is not enough: it has to receive."""
        return 0.0 if self.is_idle else now - max(self.answered_at, self._waiting_since)

    def restart(self, now: float) -> list[LinkFrame]:
        """Drop what is in flight, and begin a new session."""
        self._session = self._new_session()
        self._reset()
        return [self._ack_frame()]

    def tick(self, now: float, retry: float) -> list[LinkFrame]:
        """The frames that are due: a retransmission, or an acknowledgement."""
        if (self._in_flight or (self._waiting and not self._peer_session)) and now - self._resend_after >= retry:
            self._resend_after = now
            return self._retransmission()
        return self.acknowledge()

    def acknowledge(self) -> list[LinkFrame]:
        """An acknowledgement, if one is owed."""
        return [self._ack_frame()] if self._unacked else []

    # Receiving

    def receive(self, now: float, frame: LinkFrame) -> FrameResult:
        """Receive a frame of this link."""
        if frame.session < self._peer_session or frame.known > self._session:
            return _NOTHING
        restarted = frame.session > self._peer_session and self._peer_session != 0
        if frame.session > self._peer_session:
            if restarted:
                self._reset()
            self._peer_session = frame.session
        if frame.known != self._session:
            hint = (self._ack_frame(),) if frame.number or not frame.known else ()
            return FrameResult(frames=(*hint, *self._fill_window(now)), restarted=restarted)
        self._take_ack(now, frame.ack)
        messages = self._in_order(frame)
        frames = self._fill_window(now)
        if self._unacked >= _ACK_AFTER or (frame.number and not messages):
            frames.append(self._ack_frame())
        return FrameResult(messages, tuple(frames), restarted)

    # Private

    def _fill_window(self, now: float) -> list[LinkFrame]:
        frames = []
        while self._waiting and self._peer_session and len(self._in_flight) < WINDOW:
            if not self._in_flight:
                self._resend_after = now
            self._in_flight.append(self._waiting.popleft())
            frames.append(self._frame(self._acked + len(self._in_flight), self._in_flight[-1]))
        return frames

    def _retransmission(self) -> list[LinkFrame]:
        if not self._peer_session:
            return [self._ack_frame()]
        return [self._frame(self._acked + place, message) for place, message in enumerate(self._in_flight, 1)]

    def _frame(self, number: int, message: Message | None) -> LinkFrame:
        self._unacked = 0
        return LinkFrame(self._session, self._peer_session, number, self._received, message)

    def _ack_frame(self) -> LinkFrame:
        return self._frame(0, None)

    def _take_ack(self, now: float, ack: int) -> None:
        new = min(ack - self._acked, len(self._in_flight))
        if new > 0:
            for _ in range(new):
                self._in_flight.popleft()
            self._acked += new
            self._resend_after = self.answered_at = now

    def _in_order(self, frame: LinkFrame) -> tuple[Message, ...]:
        if frame.message is None:
            return ()
        self._unacked += 1
        if not self._received < frame.number <= self._received + WINDOW:
            return ()
        self._out_of_order[frame.number] = frame.message
        messages = []
        while (message := self._out_of_order.pop(self._received + 1, None)) is not None:
            self._received += 1
            messages.append(message)
        return tuple(messages)

    def _reset(self) -> None:
        self._waiting.clear()
        self._in_flight.clear()
        self._out_of_order.clear()
        self._acked = self._received = self._unacked = 0
