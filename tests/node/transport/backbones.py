"""Transports on loopback, and the words that their tests use."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from triplewire.network.messages import Packet
from triplewire.node.transport.backbone import Transport
from triplewire.node.transport.keys import KeyPair, NetworkKey

KEY = NetworkKey(bytes(range(32)))
ANYWHERE = "tcp://127.0.0.1:0"
_SECONDS = 120.0


class Post:
    """A transport that keeps what it receives."""

    def __init__(self, key: NetworkKey = KEY, own: KeyPair | None = None) -> None:
        self.own = own or KeyPair.new()
        self.member = self.own.member
        self.transport = Transport(key, self.own)
        self.received: list[tuple[str, Packet]] = []
        self.transport.listen(ANYWHERE)
        self.transport.start(lambda sender, packet: self.received.append((sender, packet)))

    @property
    def address(self) -> str:
        return self.transport.address

    def send(self, to: Post, packet: Packet) -> None:
        self.transport.send(to.address, packet)


@asynccontextmanager
async def posts(*keys: NetworkKey) -> AsyncIterator[list[Post]]:
    """Some transports, stopped at the end."""
    made = [Post(key) for key in keys]
    try:
        yield made
    finally:
        for post in made:
            await post.transport.stop()


async def until(condition: Callable[[], object]) -> None:
    """Wait for something to become true; what takes two minutes has hung."""
    async with asyncio.timeout(_SECONDS):
        while not condition():
            await asyncio.sleep(0.01)
