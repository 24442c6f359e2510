"""A link to one other super-peer: each message once and in order, or both ends learn that something was lost.

Messages are numbered within a session and kept until they are acknowledged; what is not is sent again. A session
ends when one side starts anew, or gives up on a receiver that does not keep up: then whatever was on its way is gone,
both sides are told (`restarted`), and those above agree again on what they want from each other. So what waits for a
slow or absent neighbour is bounded, and nothing above needs a queue of its own.

Sessions of one super-peer are numbered upwards, over its restarts too. A frame of an older session, or one that was
meant for an older session of the receiver, is refused: a frame that was recorded and is sent again does nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from msgspec import Struct

from triplewire.network.messages import Frame, Message

WINDOW = 256
MOST_WAITING = 20_000
_ACKNOWLEDGE_AFTER = 16


class Received(Struct, frozen=True):
    """What came of a frame: messages in order, frames to send in return, and whether the other side began anew."""

    messages: tuple[Message, ...] = ()
    frames: tuple[Frame, ...] = ()
    restarted: bool = False


_NOTHING = Received()


class Link:
    """One side of a link. `new_session` gives a higher number each time."""

    def __init__(self, new_session: Callable[[], int], now: float) -> None:
        self._new_session = new_session
        self._session = new_session()
        self._theirs = 0
        self._waiting: deque[Message] = deque()
        self._flying: deque[Message] = deque()
        self._acked = 0
        self._heard = 0
        self._early: dict[int, Message] = {}
        self._unacknowledged = 0
        self._resend_after = now
        self._asked_at = now
        self.answered_at = now

    # Sending

    def send(self, now: float, message: Message) -> list[Frame]:
        """Frames to send now; the rest follows as the window opens."""
        if self.is_idle:
            self._asked_at = now
        self._waiting.append(message)
        if not self._theirs:
            return [self._bare()] if len(self._waiting) == 1 else []
        return self._fill(now)

    @property
    def is_idle(self) -> bool:
        """Whether everything that was sent is acknowledged."""
        return not self._waiting and not self._flying

    @property
    def is_overrun(self) -> bool:
        """Whether the other side is so far behind that it is better to begin anew."""
        return len(self._waiting) > MOST_WAITING

    def silent_for(self, now: float) -> float:
        """How long the other side has owed us an answer. That it is heard is not enough: it has to hear us."""
        return 0.0 if self.is_idle else now - max(self.answered_at, self._asked_at)

    def restart(self, now: float) -> list[Frame]:
        """Give up what is on its way, and begin a new session."""
        self._session = self._new_session()
        self._forget()
        return [self._bare()]

    def tick(self, now: float, retry: float) -> list[Frame]:
        """What has to be said by now: an acknowledgement, or once more what was not acknowledged."""
        if (self._flying or (self._waiting and not self._theirs)) and now - self._resend_after >= retry:
            self._resend_after = now
            return self._again()
        return self.acknowledge()

    def acknowledge(self) -> list[Frame]:
        """An acknowledgement, if one is owed."""
        return [self._bare()] if self._unacknowledged else []

    # Receiving

    def receive(self, now: float, frame: Frame) -> Received:
        """Take a frame that came over this link."""
        if frame.session < self._theirs or frame.known > self._session:
            return _NOTHING
        restarted = frame.session > self._theirs and self._theirs != 0
        if frame.session > self._theirs:
            if restarted:
                self._forget()
            self._theirs = frame.session
        if frame.known != self._session:
            hint = (self._bare(),) if frame.number or not frame.known else ()
            return Received(frames=(*hint, *self._fill(now)), restarted=restarted)
        self._acknowledged(now, frame.ack)
        messages = self._in_order(frame)
        frames = self._fill(now)
        if self._unacknowledged >= _ACKNOWLEDGE_AFTER or (frame.number and not messages):
            frames.append(self._bare())
        return Received(messages, tuple(frames), restarted)

    # Private

    def _fill(self, now: float) -> list[Frame]:
        frames = []
        while self._waiting and self._theirs and len(self._flying) < WINDOW:
            if not self._flying:
                self._resend_after = now
            self._flying.append(self._waiting.popleft())
            frames.append(self._frame(self._acked + len(self._flying), self._flying[-1]))
        return frames

    def _again(self) -> list[Frame]:
        if not self._theirs:
            return [self._bare()]
        return [self._frame(self._acked + place, message) for place, message in enumerate(self._flying, 1)]

    def _frame(self, number: int, message: Message | None) -> Frame:
        self._unacknowledged = 0
        return Frame(self._session, self._theirs, number, self._heard, message)

    def _bare(self) -> Frame:
        return self._frame(0, None)

    def _acknowledged(self, now: float, ack: int) -> None:
        new = min(ack - self._acked, len(self._flying))
        if new > 0:
            for _ in range(new):
                self._flying.popleft()
            self._acked += new
            self._resend_after = self.answered_at = now

    def _in_order(self, frame: Frame) -> tuple[Message, ...]:
        if frame.message is None:
            return ()
        self._unacknowledged += 1
        if not self._heard < frame.number <= self._heard + WINDOW:
            return ()
        self._early[frame.number] = frame.message
        messages = []
        while (message := self._early.pop(self._heard + 1, None)) is not None:
            self._heard += 1
            messages.append(message)
        return tuple(messages)

    def _forget(self) -> None:
        self._waiting.clear()
        self._flying.clear()
        self._early.clear()
        self._acked = self._heard = self._unacknowledged = 0
