"""Streams of a real process: resume at every byte, gaps, WebSocket, long polling, stopping."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext

import httpx
import pytest
import websockets
from tests.node.processes import Process, running

from triplewire.client.follower import Follower, Gap
from triplewire.node.broker.notifications import NotificationPage
from triplewire.node.delivery.streams import KEEP_ALIVE, Streams, framed
from triplewire.node.matching.answers import Notification

QUERY = "SELECT ?o WHERE { ?s <urn:p> ?o }"
POSITIONS = list(range(1, 6))


def event(number: int) -> str:
    return f'<urn:s> <urn:p> "é{number}" <urn:event:{number}> .\n'


@pytest.fixture(scope="module")
def node(tmp_path_factory) -> Iterator[Process]:
    """One node with a subscription `all` and five notifications waiting."""
    with running(tmp_path_factory.mktemp("node") / "data", "--open") as process:
        put = httpx.put(
            f"{process.url}/subscriptions/all", content=QUERY, headers={"content-type": "application/sparql-query"},
            timeout=300,
        )  # fmt: skip
        assert put.status_code == 201
        publish(process, *POSITIONS)
        yield process


def publish(process: Process, *numbers: int) -> None:
    body = "".join(event(number) for number in numbers).encode()
    answer = httpx.post(
        f"{process.url}/events", content=body, headers={"content-type": "application/n-quads"}, timeout=300
    )
    assert answer.status_code == 201


def raw_stream(process: Process, headers: dict[str, str]) -> Iterator[bytes]:
    """The body of a stream, byte by byte, without its chunk framing."""
    with socket.create_connection(("127.0.0.1", process.port), timeout=60) as connection:
        lines = [
            "GET /subscriptions/all/notifications HTTP/1.1", "host: localhost",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]  # fmt: skip
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        with connection.makefile("rb") as answer:
            assert b" 200 " in answer.readline()
            while answer.readline() != b"\r\n":
                pass
            while size := int(answer.readline(), 16):
                for byte in answer.read(size):
                    yield bytes([byte])
                answer.read(2)


def read(process: Process, follower: Follower, most: int) -> list[int]:
    """Read at most so many bytes, then break the connection; or stop when everything has come."""
    seen: list[int] = []
    for _, byte in zip(range(most), raw_stream(process, follower.headers()), strict=False):
        seen += [item.position for item in follower.received(byte)]
        if follower.position == POSITIONS[-1]:
            break
    return seen


def test_resume_cut_at_every_byte_each_notification_comes_exactly_once(node):
    whole = 0
    follower = Follower()
    for _byte in raw_stream(node, follower.headers()):
        whole += 1
        list(follower.received(_byte))
        if follower.position == POSITIONS[-1]:
            break
    assert whole > 300
    for cut in range(whole + 1):
        follower = Follower()
        assert read(node, follower, cut) + (read(node, follower, 10**9) if cut < whole else []) == POSITIONS


def test_an_event_stream_begins_after_the_position_that_is_asked_for(node):
    follower = Follower(after=3)
    assert read(node, follower, 10**9) == [4, 5]


def test_a_page_and_the_next(node):
    pages = f"{node.url}/subscriptions/all/notifications"
    first = httpx.get(pages, params={"limit": 3}).json()
    assert [n["position"] for n in first["notifications"]] == [1, 2, 3]
    assert first["next"] == 3
    second = httpx.get(pages, params={"after": 3}).json()
    assert [n["event"] for n in second["notifications"]] == ["urn:event:4", "urn:event:5"]
    assert second["next"] is None


@pytest.mark.parametrize("bad", ["x", "-1", "1.5", "9" * 30, "١"])
def test_a_bad_last_event_id_is_refused(node, bad):
    headers = {"accept": "text/event-stream", "last-event-id": bad.encode()}
    answer = httpx.get(f"{node.url}/subscriptions/all/notifications", headers=headers)
    assert answer.status_code == 400


@pytest.mark.parametrize("accept", ["text/event-stream", "application/json"])
def test_a12_a_subscription_that_is_not_there_is_not_found(node, accept):
    answer = httpx.get(f"{node.url}/subscriptions/other/notifications", headers={"accept": accept})
    assert answer.status_code == 404


async def test_websocket_sends_and_hears(node):
    url = f"ws://127.0.0.1:{node.port}/subscriptions/all/notifications?after=2"
    async with websockets.connect(url) as connection:
        said = [json.loads(await connection.recv()) for _ in range(3)]
        assert [(one["type"], one["position"]) for one in said] == [("notification", n) for n in (3, 4, 5)]
        await connection.send('{"acknowledge": 0}')
        await connection.send("something else")
        with pytest.raises(websockets.ConnectionClosed) as closed:
            await connection.recv()
        assert closed.value.rcvd.code == 1008
        assert "acknowledge" in closed.value.rcvd.reason


async def test_websocket_from_a_page_of_elsewhere_is_refused(node):
    url = f"ws://127.0.0.1:{node.port}/subscriptions/all/notifications"
    with pytest.raises(websockets.InvalidStatus):
        async with websockets.connect(url, origin="https://evil.example"):
            pass


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1"])
def test_an_open_node_publishes_nothing_for_a_page_of_elsewhere(node, origin):
    headers = {"content-type": "text/plain", "origin": origin}
    answer = httpx.post(f"{node.url}/events", content="<urn:s> <urn:q> <urn:o> .", headers=headers)
    assert answer.status_code == 403


def test_a_stream_and_a_socket_do_not_keep_a_node_from_stopping(tmp_path):
    node = Process(tmp_path / "data", "--open")
    node.start()
    try:
        put = httpx.put(
            f"{node.url}/subscriptions/all", content=QUERY, headers={"content-type": "application/sparql-query"}
        )
        assert put.status_code == 201
        streams = [raw_stream(node, {"accept": "text/event-stream"}) for _ in range(20)]
        for stream in streams:
            next(stream)
        started = time.monotonic()
        code = node.stop(signal.SIGTERM)
        # Not a measure of speed: a node that waits for its readers would take its whole period of grace.
        assert time.monotonic() - started < 9
        assert code == 0
    finally:
        node.stop(signal.SIGKILL)


class Script:
    """A broker that gives these pages, and then nothing."""

    def __init__(self, *pages: NotificationPage) -> None:
        self.pages = list(pages)
        self.asked: list[int] = []

    async def page(self, _number: int, after: int = 0, limit: int = 100) -> NotificationPage:
        self.asked.append(after)
        return self.pages.pop(0) if self.pages else NotificationPage([], None)

    async def wait(self, _number: int, after: int, timeout: float | None = None) -> bool:
        await asyncio.sleep(0 if timeout is None else min(timeout, 0.01))
        return False

    def following(self, _number: int) -> AbstractContextManager[None]:
        return nullcontext()


async def test_a_gap_after_retention_is_told_and_reading_goes_on_behind_it():
    notification = Notification("urn:event:8", b"[]", 8)  # type: ignore[arg-type]
    source = Script(NotificationPage([notification], None, gap=6))
    streams, found = Streams(source, keep_alive=0.01), []
    async for items in streams.pages(1, 2):
        found += items
        if items == [KEEP_ALIVE]:
            streams.stop()
    assert source.asked[:2] == [2, 8]
    assert [type(item).__name__ for item in found] == ["Gap", "Notification", "KeepAlive"]
    assert list(Follower(2).received(framed(found[0]))) == [Gap(2, 6)]


async def test_stop_ends_a_stream_that_waits():
    is_waiting = asyncio.Event()

    class Silent(Script):
        async def wait(self, _number: int, after: int, timeout: float | None = None) -> bool:
            is_waiting.set()
            await asyncio.Event().wait()
            return False

    streams = Streams(Silent())
    reading = asyncio.ensure_future(anext(streams.pages(1, 0)))
    await is_waiting.wait()
    streams.stop()
    assert await asyncio.wait_for(reading, 120) == [KEEP_ALIVE]


async def test_stop_while_a_page_is_read_ends_the_stream_too():
    class Stopped(Script):
        async def page(self, _number: int, after: int = 0, limit: int = 100) -> NotificationPage:
            streams.stop()
            return NotificationPage([], None)

        async def wait(self, _number: int, after: int, timeout: float | None = None) -> bool:
            raise AssertionError("wanted no waiting after a stop")

    streams = Streams(Stopped())

    assert [items async for items in streams.pages(1, 0)] == [[KEEP_ALIVE]]
