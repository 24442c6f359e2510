"""Diagnosis of a failed join: what answers at an address, as far as it is visible from outside."""

from __future__ import annotations

import asyncio

import zmq
import zmq.asyncio
from zmq.utils.monitor import recv_monitor_message

from triplewire.node.transport.connections import dealer
from triplewire.node.transport.keys import KeyPair
from triplewire.system.curve_sockets import connect

_SECONDS = 3.0
_EVENTS = (
    zmq.EVENT_CONNECTED
    | zmq.EVENT_DISCONNECTED
    | zmq.EVENT_HANDSHAKE_SUCCEEDED
    | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
    | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    | zmq.EVENT_HANDSHAKE_FAILED_AUTH
)


async def diagnose(server_key: bytes, own: KeyPair, address: str, member: str, seconds: float = _SECONDS) -> str:
    """A sentence about what answers at an address, where a member with the server key is wanted."""
    context = zmq.asyncio.Context()
    socket = dealer(context, own, server_key)
    monitor: zmq.asyncio.Socket = socket.get_monitor_socket(_EVENTS)  # type: ignore[assignment]
    try:
        connect(socket, address)
        return await _seen(monitor, member, seconds)
    finally:
        socket.disable_monitor()
        monitor.close(0)
        socket.close(0)
        await asyncio.to_thread(context.term)


async def _seen(monitor: zmq.asyncio.Socket, member: str, seconds: float) -> str:
    connected = False
    try:
        async with asyncio.timeout(seconds):
            while True:
                event = (await recv_monitor_message(monitor))["event"]
                if event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                    return f"a {member} of this network answers, but does not let this one in"
                if connected and event != zmq.EVENT_CONNECTED:
                    break
                connected = connected or event == zmq.EVENT_CONNECTED
    except TimeoutError:
        pass
    if connected:
        return f"somebody listens, but is no {member} of this network: it has another key, or is another program"
    return "nobody listens"
