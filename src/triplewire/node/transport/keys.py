"""The network key, and the keys of each super-peer.

The holders of the network key form the network. All of them derive the same CURVE server key pair from it, which guards
every super-peer's backbone socket. Its public half is never sent: to begin the handshake one has to know it already,
and to answer one needs the private half. So a stranger can neither connect nor impersonate a super-peer, and there is
no list of keys to keep.

Besides, each super-peer has a CURVE key pair of its own, made once. It is the client key on every connection that it
opens, and names it: the member's identifier is derived from the public half. What arrives on a connection is from the
holder of that connection's client key, whatever the message says (row A12).
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from pathlib import Path
from typing import Self

import zmq
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from msgspec import Struct
from zmq.utils import z85

from triplewire.errors import InputError
from triplewire.system.curve_sockets import CurveKeys
from triplewire.system.durable_files import create_file

PREFIX = "twn_"
_KEY_BYTES = 32
_ID_BYTES = 20
_MOST_FILE = 1024
_PURPOSE = b"triplewire backbone, CURVE server key, 1"
_SPACE_PURPOSE = b"triplewire space, CURVE server key, 1"


class NetworkKey(Struct, frozen=True):
    """256 random bits that the super-peers of one network share."""

    secret: bytes

    @classmethod
    def new(cls) -> Self:
        return cls(secrets.token_bytes(_KEY_BYTES))

    @classmethod
    def parse(cls, text: str) -> Self:
        """The key in its text form.

        >>> NetworkKey.parse(NetworkKey(bytes(32)).text).secret == bytes(32)
        True
        """
        word = text.strip()
        try:
            secret = base64.b64decode(word.removeprefix(PREFIX) + "=", altchars=b"-_", validate=True)
        except ValueError:
            secret = b""
        # Nothing of what was found is shown: it may be a key, or another secret.
        if not word.startswith(PREFIX) or len(secret) != _KEY_BYTES:
            raise InputError(wanted=f"a network key, {PREFIX} and 43 characters", found="something else")
        return cls(secret)

    @classmethod
    def read(cls, file: Path) -> Self:
        """The key in a file."""
        with file.open("rb") as stream:
            data = stream.read(_MOST_FILE)
        try:
            return cls.parse(data.decode("ascii", "replace"))
        except InputError as error:
            raise error.located_in(str(file)) from None

    def write(self, file: Path) -> None:
        """Write the key to a new file that only its owner may read."""
        create_file(file, f"{self.text}\n".encode("ascii"), 0o600)

    @property
    def text(self) -> str:
        return PREFIX + base64.urlsafe_b64encode(self.secret).decode().rstrip("=")

    @property
    def server(self) -> KeyPair:
        """The key pair of every backbone socket of the network."""
        return self._derived(_PURPOSE)

    @property
    def space_server(self) -> KeyPair:
        """The key pair of every node's socket in a space. A super-peer with the same key cannot connect there."""
        return self._derived(_SPACE_PURPOSE)

    @property
    def fingerprint(self) -> str:
        """A short name for the network, which reveals nothing of the key."""
        return hashlib.sha256(b"fingerprint\n" + self.server.public).hexdigest()[:16]

    def _derived(self, purpose: bytes) -> KeyPair:
        return KeyPair.of(HKDF(hashes.SHA256(), _KEY_BYTES, salt=None, info=purpose).derive(self.secret))

    def __repr__(self) -> str:
        return f"<NetworkKey of {self.fingerprint}>"


class KeyPair(CurveKeys, frozen=True):
    """The CURVE key pair of a super-peer, or of a network."""

    @classmethod
    def new(cls) -> Self:
        return cls.of(secrets.token_bytes(_KEY_BYTES))

    @classmethod
    def of(cls, secret: bytes) -> Self:
        """The pair of a private key."""
        return cls(z85.decode(zmq.curve_public(z85.encode(secret))), secret)

    @property
    def member(self) -> str:
        """The identifier of the super-peer that holds the pair."""
        return member_of(self.public)

    def __repr__(self) -> str:
        return f"<KeyPair of {self.member}>"


def member_of(public_key: bytes) -> str:
    """The identifier of the super-peer with this public key.

    >>> member_of(bytes(32))
    'sp-mzuhvlpymk6xo3epygfy5h4oeaejofef'
    """
    digest = hashlib.sha256(public_key).digest()[:_ID_BYTES]
    return "sp-" + base64.b32encode(digest).decode().lower().rstrip("=")
