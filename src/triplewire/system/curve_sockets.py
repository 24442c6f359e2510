"""ZeroMQ sockets with CURVE: what they carry is encrypted, and both ends have proven that they hold a key.

Keys are 32 bytes each. Needs pyzmq, which `triplewire[node]` brings.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import zmq
import zmq.asyncio
from msgspec import Struct
from zmq.utils import z85

Options = Mapping[zmq.SocketOption, int]
# A handshake that takes longer has failed. Values are milliseconds.
_OPTIONS = {zmq.HANDSHAKE_IVL: 5_000, zmq.TCP_KEEPALIVE: 1}


class CurveKeys(Struct, frozen=True):
    """A key pair of CURVE."""

    public: bytes
    secret: bytes

    def __repr__(self) -> str:
        return "<CurveKeys>"


def guard(socket: zmq.Socket[Any], secret: bytes, domain: bytes, options: Options) -> None:
    """Let a socket accept those who know the public half of its key, and whom the ZAP handler of the domain lets in."""
    socket.curve_server = True
    socket.curve_secretkey = z85.encode(secret)
    socket.zap_domain = domain
    # Without a handler nobody gets in.
    socket.set(zmq.ZAP_ENFORCE_DOMAIN, 1)
    _set(socket, options)


def identify(socket: zmq.Socket[Any], keys: CurveKeys, server_key: bytes, options: Options) -> None:
    """Let a socket connect to who holds the server's key, and to nobody else, as the holder of these keys."""
    socket.curve_serverkey = z85.encode(server_key)
    socket.curve_publickey, socket.curve_secretkey = z85.encode(keys.public), z85.encode(keys.secret)
    _set(socket, options)


def bind(socket: zmq.Socket[Any], address: str) -> str:
    """Listen; returns the address with the port that was free, where 0 was asked for."""
    _allow_ipv6(socket, address)
    socket.bind(address)
    return str(socket.get_string(zmq.LAST_ENDPOINT)).rstrip("\0")


def connect(socket: zmq.Socket[Any], address: str) -> None:
    """Begin to connect."""
    _allow_ipv6(socket, address)
    socket.connect(address)


def send_now(socket: zmq.asyncio.Socket, *parts: bytes) -> bool:
    """Send a message if the socket takes it at once; whether it did.

    By the asynchronous socket, never by its plain half: sending takes up what was signalled meanwhile, also that
    something has arrived, and only the asynchronous one then looks whether somebody waits for it.
    """
    sending = socket.send_multipart(parts, zmq.NOBLOCK, copy=False)
    assert isinstance(sending, asyncio.Future), "what does not wait has ended"
    return sending.exception() is None


def _set(socket: zmq.Socket[Any], options: Options) -> None:
    for option, value in {**_OPTIONS, **options}.items():
        socket.set(option, value)


def _allow_ipv6(socket: zmq.Socket[Any], address: str) -> None:
    socket.set(zmq.IPV6, int(address.startswith("tcp://[")))
