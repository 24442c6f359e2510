"""Transport of a space: messages between the workers of nodes, many to a frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from triplewire.errors import MessageRefused
from triplewire.node.space.worker import message_codec
from triplewire.node.space.worker.messages import SpaceNodeMessage
from triplewire.node.transport.frames import FrameTransport
from triplewire.node.transport.keys import KeyPair

# Called with the verified sender, the messages of a frame, and its size.
Receiver = Callable[[str, tuple[SpaceNodeMessage, ...], int], None]


class SpaceTransport(FrameTransport):
    """Make it on an event loop, `listen` somewhere, `start` it with a receiver, and `stop` it.

    `sent` and `received` count messages by kind.
    """

    def __init__(self, server: KeyPair, own: KeyPair) -> None:
        super().__init__(server, own, message_codec.MOST_BYTES, "node")
        self.sent: Counter[str] = Counter()
        self.received: Counter[str] = Counter()

    def start(self, receiver: Receiver) -> None:
        """Pass what arrives to the receiver."""

        def take(sender: str, frame: memoryview) -> None:
            messages = message_codec.messages_in(frame)
            self.received.update(map(message_codec.kind_of, messages))
            receiver(sender, messages, len(frame))

        self.start_receiving(take)

    def send(self, address: str, messages: Iterable[SpaceNodeMessage]) -> None:
        """Send messages to a node; they may get lost."""
        for frame in message_codec.frames(self._encoded(messages)):
            self.send_frame(address, frame)

    def _encoded(self, messages: Iterable[SpaceNodeMessage]) -> Iterator[bytes]:
        for message in messages:
            try:
                yield message_codec.encode(message)
            except MessageRefused as problem:
                self.refuse(problem, "a message of our own")
            else:
                self.sent[message_codec.kind_of(message)] += 1
