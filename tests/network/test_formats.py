"""Messages and saved state keep their bytes: an earlier version wrote fixtures/network/formats.tsv."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from triplewire.network import messages
from triplewire.network.saved_state import SavedSuperPeer
from triplewire.network.sessions import access_point_messages, peer_messages
from triplewire.network.sessions.access_point import records
from triplewire.network.sessions.peer.saved_state import PeerKeys, SavedPeer

_FILE = Path(__file__).parents[1] / "fixtures" / "network" / "formats.tsv"
_TYPES = {
    "Packet": messages.Packet,
    "SavedSuperPeer": SavedSuperPeer,
    "PeerMessage": peer_messages.PeerMessage,
    "AccessPointMessage": peer_messages.AccessPointMessage,
    "HandshakeMessage": peer_messages.HandshakeMessage,
    "PeerRecord": records.PeerRecord,
    "RendezvousRequest": records.RendezvousRequest,
    "PendingUpload": records.PendingUpload,
    "RendezvousFile": records.RendezvousFile,
    "Pointer": records.Pointer,
    "json-SavedPeer": SavedPeer,
    "json-PeerKeys": PeerKeys,
}


def _rows() -> list[tuple[str, bytes]]:
    lines = (line.split("\t") for line in _FILE.read_text().splitlines())
    return [(kind, base64.b64decode(data)) for kind, data in lines]


def _codec(kind: str) -> tuple[Callable[[bytes], object], Callable[[object], bytes]]:
    if kind == "InterAccessPointMessage":
        return access_point_messages.decode, access_point_messages.encode
    if kind.startswith("json-"):
        return msgspec.json.Decoder(_TYPES[kind]).decode, msgspec.json.encode
    return msgspec.msgpack.Decoder(_TYPES[kind]).decode, msgspec.msgpack.encode


@pytest.mark.parametrize(("kind", "data"), _rows())
def test_bytes_of_an_earlier_version_are_read_and_written_unchanged(kind: str, data: bytes) -> None:
    decode, encode = _codec(kind)
    assert encode(decode(data)) == data
