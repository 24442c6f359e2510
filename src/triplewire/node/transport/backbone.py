"""The backbone: packets between super-peers. A packet is one frame, of at most `message_codec.MOST_BYTES`."""

from __future__ import annotations

from collections.abc import Callable

from triplewire.errors import MessageRefused
from triplewire.network.messages import Packet
from triplewire.node.transport import message_codec
from triplewire.node.transport.frames import FrameTransport
from triplewire.node.transport.keys import KeyPair, NetworkKey

Receiver = Callable[[str, Packet], None]


class Transport(FrameTransport):
    """Make it on an event loop, `listen` somewhere, `start` it with a receiver, and `stop` it."""

    def __init__(self, key: NetworkKey, own: KeyPair) -> None:
        super().__init__(key.server, own, message_codec.MOST_BYTES, "super-peer")

    def start(self, receiver: Receiver) -> None:
        """Pass what arrives to the receiver."""
        self.start_receiving(lambda sender, frame: receiver(sender, message_codec.decode(frame)))

    def send(self, address: str, packet: Packet) -> None:
        """Send a packet; it may get lost."""
        try:
            data = message_codec.encode(packet)
        except MessageRefused as problem:
            self.refuse(problem, "a message of our own")
            return
        self.send_frame(address, data)
