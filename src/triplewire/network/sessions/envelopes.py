"""Envelopes: the byte format of a connection between a peer and its access point.

    clear    magic, version, kind | a message of the handshake
    sealed   magic, version, kind, session, number, tag | a message

A sealed message is an envelope: the tag is HMAC-SHA-256 over everything else, under a key that only the two ends of the
session have, and the number grows with every message. Both are checked before anything looks at the body, so that what
was forged, or recorded and replayed, never reaches a parser (row A12).
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from enum import IntEnum, StrEnum

from triplewire.errors import SessionRefused

VERSION = 1
SESSION_BYTES = 16
_MAGIC = b"tw"
_HEAD = struct.Struct("!2sBB")
_ENVELOPE = struct.Struct(f"!2sBB{SESSION_BYTES}sQ32s")
_UNTAGGED = struct.Struct(f"!2sBB{SESSION_BYTES}sQ")


class MessageKind(IntEnum):
    """The kind of a message."""

    CLEAR = 1
    SEALED = 2


class Reason(StrEnum):
    """Why a message was refused."""

    MALFORMED = "malformed"
    VERSION = "version"
    KEY = "key"
    SECRET = "secret"
    UNKNOWN = "unknown"
    STRANGER = "stranger"
    SESSION = "session"
    TAG = "tag"
    REPLAY = "replay"
    LOST = "lost"
    FULL = "full"
    INVITATION = "invitation"


def kind_of(data: bytes) -> MessageKind:
    """The kind of a message, or `SessionRefused`."""
    if len(data) < _HEAD.size:
        raise SessionRefused(Reason.MALFORMED, f"a message of at least {_HEAD.size} bytes", f"{len(data)}")
    magic, version, kind = _HEAD.unpack_from(data)
    if magic != _MAGIC or kind not in (MessageKind.CLEAR, MessageKind.SEALED):
        raise SessionRefused(Reason.MALFORMED, "a message of a session", "something else")
    if version != VERSION:
        raise SessionRefused(Reason.VERSION, f"version {VERSION}", f"version {version}")
    return MessageKind(kind)


def clear(body: bytes) -> bytes:
    """A message of the handshake, as bytes."""
    return _HEAD.pack(_MAGIC, VERSION, MessageKind.CLEAR) + body


def clear_body(data: bytes) -> bytes:
    """The body of a clear message."""
    return data[_HEAD.size :]


class Sealer:
    """One direction of a session, at the end that sends."""

    def __init__(self, session: bytes, key: bytes) -> None:
        self._session, self._key = session, key
        self._number = 0

    def seal(self, body: bytes) -> bytes:
        """The next message."""
        self._number += 1
        fields = (_MAGIC, VERSION, MessageKind.SEALED, self._session, self._number)
        tag = _tag(self._key, _UNTAGGED.pack(*fields), body)
        return _ENVELOPE.pack(*fields, tag) + body


class Opener:
    """One direction of a session, at the end that receives. `skipped`: numbers were missing before the last one."""

    def __init__(self, session: bytes, key: bytes) -> None:
        self._session, self._key = session, key
        self._number = 0
        self.skipped = False

    def open(self, data: bytes) -> bytes:
        """The body of a message that is authentic and new, or `SessionRefused`."""
        if len(data) < _ENVELOPE.size:
            raise SessionRefused(Reason.MALFORMED, f"an envelope of at least {_ENVELOPE.size} bytes", f"{len(data)}")
        _, _, _, session, number, tag = _ENVELOPE.unpack_from(data)
        if session != self._session:
            raise SessionRefused(Reason.SESSION, "the session of this connection", "another")
        body = data[_ENVELOPE.size :]
        if not hmac.compare_digest(tag, _tag(self._key, data[: _UNTAGGED.size], body)):
            raise SessionRefused(Reason.TAG, "a tag made with the key of this session", "another")
        if number <= self._number:
            raise SessionRefused(Reason.REPLAY, f"a number above {self._number}", f"{number}")
        self.skipped = number > self._number + 1
        self._number = number
        return body


def _tag(key: bytes, head: bytes, body: bytes) -> bytes:
    return hmac.digest(key, head + body, hashlib.sha256)
