"""Delivery between super-peers: each message once and in order, however long the other one cannot be reached.

The links of the network below do that as long as they last; when one is restarted, or a member is declared failed, what
was on its way is lost. So messages are numbered here once more, for as long as both super-peers exist, and kept until
they are acknowledged. The shell has to keep this on a disk before a parcel leaves or a message is acted on.
"""

from __future__ import annotations

from collections import deque

from msgspec import Struct

from triplewire.federation.messages import Message

_AT_ONCE = 64


class Parcel(Struct, frozen=True, tag="parcel", array_like=True):
    """A message with its number between these two super-peers."""

    number: int
    message: Message


class Acknowledgement(Struct, frozen=True, tag="ack", array_like=True):
    """Everything up to this number has arrived."""

    upto: int


Item = Parcel | Acknowledgement
Sent = list[tuple[str, Item]]


class _Outgoing(Struct):
    waiting: deque[Parcel]
    last: int = 0
    sent_at: float = float("-inf")


class _Incoming(Struct):
    early: dict[int, Message]
    upto: int = 0


class Delivery:
    """What one super-peer has sent to others and got from them."""

    def __init__(self, retry: float) -> None:
        self._retry = retry
        self._outgoing: dict[str, _Outgoing] = {}
        self._incoming: dict[str, _Incoming] = {}

    @property
    def is_flushed(self) -> bool:
        """Whether everything that was sent is acknowledged."""
        return not any(outgoing.waiting for outgoing in self._outgoing.values())

    def send(self, now: float, to: str, message: Message) -> Sent:
        """Send a message. Only the first that are not acknowledged are on their way."""
        outgoing = self._outgoing.setdefault(to, _Outgoing(deque()))
        outgoing.last += 1
        parcel = Parcel(outgoing.last, message)
        outgoing.waiting.append(parcel)
        if len(outgoing.waiting) == 1:
            outgoing.sent_at = now
        return [(to, parcel)] if len(outgoing.waiting) <= _AT_ONCE else []

    def receive(self, sender: str, item: Item) -> tuple[list[Message], Sent]:
        """Receive an item: the messages whose turn it is, and what to send back."""
        if isinstance(item, Acknowledgement):
            return [], self._acknowledged(sender, item.upto)
        incoming = self._incoming.setdefault(sender, _Incoming({}))
        if incoming.upto < item.number <= incoming.upto + _AT_ONCE:
            incoming.early[item.number] = item.message
        messages = []
        while (message := incoming.early.pop(incoming.upto + 1, None)) is not None:
            incoming.upto += 1
            messages.append(message)
        return messages, [(sender, Acknowledgement(incoming.upto))]

    def is_due(self, now: float) -> bool:
        """Whether something has waited for its acknowledgement for too long."""
        return any(self._is_late(now, outgoing) for outgoing in self._outgoing.values())

    def tick(self, now: float) -> Sent:
        """Send again what has waited for its acknowledgement for too long."""
        due: Sent = []
        for to, outgoing in self._outgoing.items():
            if self._is_late(now, outgoing):
                outgoing.sent_at = now
                due += [(to, parcel) for parcel in list(outgoing.waiting)[:_AT_ONCE]]
        return due

    def _is_late(self, now: float, outgoing: _Outgoing) -> bool:
        return bool(outgoing.waiting) and now - outgoing.sent_at >= self._retry

    def _acknowledged(self, sender: str, upto: int) -> Sent:
        outgoing = self._outgoing.get(sender)
        if outgoing is None:
            return []
        waiting, before = outgoing.waiting, len(outgoing.waiting)
        while waiting and waiting[0].number <= upto:
            waiting.popleft()
        freed = before - len(waiting)
        # As many as have left the window move into it.
        return [(sender, parcel) for parcel in list(waiting)[max(0, _AT_ONCE - freed) : _AT_ONCE]] if freed else []
