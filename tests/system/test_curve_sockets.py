"""ZeroMQ sockets with CURVE."""

from __future__ import annotations

import asyncio
import select
from collections.abc import Iterator

import pytest
import zmq
import zmq.asyncio
from zmq.auth import CURVE_ALLOW_ANY
from zmq.auth.thread import ThreadAuthenticator
from zmq.utils import z85
from zmq.utils.monitor import recv_monitor_message

from triplewire.system.curve_sockets import CurveKeys, bind, connect, guard, identify, send_now

DOMAIN = b"tests"
OUTCOMES = (
    zmq.EVENT_HANDSHAKE_SUCCEEDED
    | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
    | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    | zmq.EVENT_HANDSHAKE_FAILED_AUTH
)
FEW_SECONDS = 20_000


def new_keys() -> CurveKeys:
    public, secret = zmq.curve_keypair()
    return CurveKeys(z85.decode(public), z85.decode(secret))


@pytest.fixture
def context() -> Iterator[zmq.Context]:
    with zmq.Context() as made:
        made.setsockopt(zmq.LINGER, 0)
        yield made
        made.destroy(0)


@pytest.fixture
def _handler(context: zmq.Context) -> Iterator[None]:
    """Lets everybody in who has proven to hold a key."""
    handler = ThreadAuthenticator(context)
    handler.start()
    handler.configure_curve(domain="*", location=CURVE_ALLOW_ANY)
    yield
    handler.stop()


def opened(context: zmq.Context, server: CurveKeys, address: str = "tcp://127.0.0.1:0") -> tuple[zmq.Socket, str]:
    socket = context.socket(zmq.ROUTER)
    guard(socket, server.secret, DOMAIN, {zmq.RCVTIMEO: FEW_SECONDS, zmq.MAXMSGSIZE: 1_000})
    return socket, bind(socket, address)


def dialled(context: zmq.Context, address: str, server_key: bytes) -> zmq.Socket:
    socket = context.socket(zmq.DEALER)
    identify(socket, new_keys(), server_key, {zmq.RECONNECT_IVL: -1})
    connect(socket, address)
    return socket


def outcomes(listening: zmq.Socket, context: zmq.Context, address: str, *server_keys: bytes) -> list[bool]:
    """Whether handshakes succeed, as the one who listens sees it."""
    monitor = listening.get_monitor_socket(OUTCOMES)
    monitor.set(zmq.RCVTIMEO, FEW_SECONDS)
    found = []
    for server_key in server_keys:
        dialling = dialled(context, address, server_key)
        found.append(recv_monitor_message(monitor)["event"] == zmq.EVENT_HANDSHAKE_SUCCEEDED)
        dialling.close(0)
    listening.disable_monitor()
    return found


@pytest.mark.usefixtures("_handler")
def test_who_knows_the_key_gets_in_and_is_heard(context: zmq.Context):
    server = new_keys()
    listening, address = opened(context, server)
    assert not address.endswith(":0")
    dialling = dialled(context, address, server.public)
    dialling.send(b"hello")
    assert listening.recv_multipart()[1:] == [b"hello"]


@pytest.mark.usefixtures("_handler")
def test_a12_who_has_another_key_does_not_get_in(context: zmq.Context):
    server = new_keys()
    listening, address = opened(context, server)
    assert outcomes(listening, context, address, new_keys().public, server.public) == [False, True]


def test_a12_without_a_handler_nobody_gets_in(context: zmq.Context):
    server = new_keys()
    listening, address = opened(context, server)
    assert outcomes(listening, context, address, server.public) == [False]


@pytest.mark.parametrize(("address", "allowed"), [("tcp://127.0.0.1:0", 0), ("tcp://[::1]:0", 1)])
def test_ipv6_is_for_addresses_of_ipv6(context: zmq.Context, address: str, allowed: int):
    socket = context.socket(zmq.ROUTER)
    guard(socket, new_keys().secret, DOMAIN, {})
    try:
        bind(socket, address)
    except zmq.ZMQError:
        # A machine without IPv6.
        assert allowed
    assert socket.get(zmq.IPV6) == allowed


def test_options_are_those_asked_for_and_those_that_all_have(context: zmq.Context):
    socket, _ = opened(context, new_keys())
    found = [socket.get(option) for option in (zmq.MAXMSGSIZE, zmq.HANDSHAKE_IVL, zmq.TCP_KEEPALIVE)]
    assert found == [1_000, 5_000, 1]


async def test_what_arrives_right_before_something_is_sent_is_received():
    """Sending takes up the signal that something has arrived; whoever waits for it has to hear all the same."""
    with zmq.asyncio.Context() as context, zmq.Context() as other:
        ours, theirs = context.socket(zmq.DEALER), other.socket(zmq.DEALER)
        theirs.connect(f"tcp://127.0.0.1:{ours.bind_to_random_port('tcp://127.0.0.1')}")
        # Both know each other, and one waits.
        theirs.send(b"first")
        assert await ours.recv() == b"first"
        receiving = asyncio.ensure_future(ours.recv())
        await asyncio.sleep(0)
        for number in range(20):
            theirs.send(b"%d" % number)
            # It has arrived, and the event loop has not had its turn.
            select.select([ours.FD], [], [], FEW_SECONDS)
            assert send_now(ours, b"answer")
            assert await receiving == b"%d" % number
            receiving = asyncio.ensure_future(ours.recv())
            await asyncio.sleep(0)
        receiving.cancel()
        for socket in (ours, theirs):
            socket.close(0)


async def test_what_a_socket_does_not_take_at_once_is_not_sent():
    with zmq.asyncio.Context() as context:
        alone = context.socket(zmq.ROUTER)
        alone.set(zmq.ROUTER_MANDATORY, 1)
        assert not send_now(alone, b"nobody", b"hello")
        alone.close(0)


def test_keys_are_not_shown():
    keys = new_keys()
    assert repr(keys) == "<CurveKeys>"
