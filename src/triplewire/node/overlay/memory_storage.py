"""Remembering: what of a super-peer survives, in the node's folder.

Its key pair, made once. The address that it chose, if it was free to. And whom it knew and how far it had heard each of
them: that is written after the events that were heard are on the disk, never before. If the process ends in between, it
recalls a little more than it needs, and what is there already changes nothing.

What is remembered is of one network. Under another key a node is a newcomer.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from triplewire.errors import DamagedStore
from triplewire.network.memory import SavedSuperPeer
from triplewire.node.broker.broker import Broker
from triplewire.node.transport.keys import KeyPair, NetworkKey
from triplewire.store.disk import Connection
from triplewire.store.tables import metadata

_KEY = "network key pair"
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(SavedSuperPeer)


class Remembering:
    """Reads and writes what survives of one network."""

    def __init__(self, broker: Broker, key: NetworkKey) -> None:
        self._broker = broker
        self._memory = f"network {key.fingerprint} memory"
        self._address = f"network {key.fingerprint} address"
        self._written = b""

    async def key_pair(self) -> KeyPair:
        """The super-peer's own, made at the first start."""
        secret = await self._broker.store.read(lambda tx: metadata.get(tx, _KEY))
        if secret is None:
            pair = KeyPair.new()
            await self._write(lambda tx: metadata.put(tx, _KEY, pair.secret))
            return pair
        return KeyPair.of(secret)

    async def address(self) -> str | None:
        """Where the super-peer listened the last time."""
        found: str | None = await self._broker.store.read(lambda tx: metadata.get(tx, self._address))
        return found

    async def keep_address(self, address: str) -> None:
        await self._write(lambda tx: metadata.put(tx, self._address, address))

    async def memory(self) -> SavedSuperPeer | None:
        """What the super-peer knew when it was last written down."""
        data = await self._broker.store.read(lambda tx: metadata.get(tx, self._memory))
        if data is None:
            return None
        try:
            return _decoder.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DamagedStore(wanted="the memory of a super-peer", found=f"something else: {error}") from None

    async def keep(self, memory: SavedSuperPeer) -> None:
        """Write the memory down, if it has changed."""
        data = _encoder.encode(memory)
        if data != self._written:
            await self._write(lambda tx: metadata.put(tx, self._memory, data))
            self._written = data

    async def _write(self, work: Callable[[Connection], None]) -> None:
        await self._broker.store.write(work)
