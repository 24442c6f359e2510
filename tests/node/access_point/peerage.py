"""Access points and peers of one process, over real sockets of loopback, and the words that their tests use."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from triplewire.client.peer import Folder, PeerProgram
from triplewire.network.sessions.identity import key_of_text
from triplewire.network.sessions.peer.connections import ConnectionTimings
from triplewire.network.sessions.peer.saved_state import AccessPointInfo
from triplewire.network.sessions.peer_messages import Resource
from triplewire.node.service import Node
from triplewire.node.settings import Settings
from triplewire.node.transport.keys import NetworkKey

QUICK = ConnectionTimings(keep_alive=0.5, retry_after=1.0, timeout=3.0)
QUERY = "SELECT ?s WHERE { ?s <urn:p> ?o }"


class Court:
    """Nodes that let peers in. With `in_network` they are super-peers of one network."""

    def __init__(self, folder: Path, *, in_network: bool = False) -> None:
        self.folder = folder
        self.nodes: list[Node] = []
        self._key: Path | None = None
        if in_network:
            self._key = folder / "network.key"
            NetworkKey.new().write(self._key)

    async def open(self, name: str, **settings) -> Node:
        folder = self.folder / name
        known = {"peers_address": "tcp://127.0.0.1:0", "network_key": self._key, **settings}
        if self._key is not None and self.nodes:
            known["join"] = self.nodes[0].overlay.address
        node = await Node.open(Settings(data=folder, open=True, **known))
        await node.begin()
        if node.overlay is not None:
            await node.overlay.joined()
        self.nodes.append(node)
        return node

    async def close(self, node: Node) -> None:
        self.nodes.remove(node)
        await node.stop()

    async def stop(self) -> None:
        for node in [*self.nodes]:
            await self.close(node)

    def peer(self, name: str, node: Node) -> Folder:
        """The home of a peer; a new one, unless there is one."""
        path = self.folder / f"home of {name}"
        return Folder(path) if path.exists() else Folder.make(path, place_of(node))


def place_of(node: Node) -> AccessPointInfo:
    return AccessPointInfo(key_of_text(node.peers.key), node.peers.address)


@asynccontextmanager
async def here(*folders: Folder) -> AsyncIterator[list[PeerProgram]]:
    """Peers that are on-line."""
    async with AsyncExitStack() as stack:
        peers = [await stack.enter_async_context(PeerProgram(folder, timings=QUICK)) for folder in folders]
        for peer in peers:
            await peer.connected()
        yield peers


def events(*names: str) -> bytes:
    return b"".join(f'<urn:s> <urn:p> "{name}" <{name}> .\n'.encode() for name in names)


async def until(is_so: Callable[[], bool | Awaitable[bool]], seconds: float = 120.0) -> None:
    async with asyncio.timeout(seconds):
        while True:
            found = is_so()
            if found is True or (not isinstance(found, bool) and await found):
                return
            await asyncio.sleep(0.02)


async def gets(peer: PeerProgram, *names: str) -> None:
    """Wait until a peer has saved these events, and no others."""
    await until(lambda: len(peer.folder.notifications()) >= len(names))
    assert sorted(saved.event for saved in peer.folder.notifications()) == sorted(names)


async def file_of(peer: PeerProgram) -> Resource:
    """The next rendezvous file."""
    async with asyncio.timeout(120):
        async for found in peer.arrivals():
            if isinstance(found, Resource):
                return found
    raise AssertionError("nothing comes any more")


@asynccontextmanager
async def court_at(folder: Path, *, in_network: bool = False) -> AsyncIterator[Court]:
    """Access points, all stopped at the end."""
    court = Court(folder, in_network=in_network)
    try:
        yield court
    finally:
        await court.stop()
