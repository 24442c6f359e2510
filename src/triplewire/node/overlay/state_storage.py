"""Storage of a super-peer's state, in the node's folder.

Its key pair, made once. The address that it chose, if it was free to. And its members and watermarks: they are written
after the events that they cover are on the disk, never before. If the process ends in between, it recalls a little more
than it needs, and repeats change nothing.

The state belongs to one network. Under another key a node is a newcomer.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from triplewire.errors import DamagedStore
from triplewire.network.saved_state import SavedSuperPeer
from triplewire.node.broker.broker import Broker
from triplewire.node.transport.keys import KeyPair, NetworkKey
from triplewire.store.disk import Connection
from triplewire.store.tables import metadata

_KEY = "network key pair"
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(SavedSuperPeer)


class SavedStateStorage:
    """Reads and writes the state of one network."""

    def __init__(self, broker: Broker, key: NetworkKey) -> None:
        self._broker = broker
        self._state_name = f"network {key.fingerprint} memory"
        self._address_name = f"network {key.fingerprint} address"
        self._last_saved = b""

    async def key_pair(self) -> KeyPair:
        """The super-peer's own key pair, made at the first start."""
        secret = await self._broker.store.read(lambda tx: metadata.get(tx, _KEY))
        if secret is None:
            pair = KeyPair.new()
            await self._write(lambda tx: metadata.put(tx, _KEY, pair.secret))
            return pair
        return KeyPair.of(secret)

    async def address(self) -> str | None:
        """The address where the super-peer listened the last time."""
        found: str | None = await self._broker.store.read(lambda tx: metadata.get(tx, self._address_name))
        return found

    async def keep_address(self, address: str) -> None:
        await self._write(lambda tx: metadata.put(tx, self._address_name, address))

    async def saved_state(self) -> SavedSuperPeer | None:
        """The state when it was last saved."""
        data = await self._broker.store.read(lambda tx: metadata.get(tx, self._state_name))
        if data is None:
            return None
        try:
            return _decoder.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DamagedStore(wanted="the saved state of a super-peer", found=f"something else: {error}") from None

    async def save(self, memory: SavedSuperPeer) -> None:
        """Save the state, if it has changed."""
        data = _encoder.encode(memory)
        if data != self._last_saved:
            await self._write(lambda tx: metadata.put(tx, self._state_name, data))
            self._last_saved = data

    async def _write(self, work: Callable[[Connection], None]) -> None:
        await self._broker.store.write(work)
