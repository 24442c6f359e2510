"""A webhook's receiver on loopback that answers as it is told, and keeps what it got."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec

from triplewire.wire.signatures import verify

# From a request's headers and body to the answer's status, headers and body; or a number of seconds to be silent.
Answer = tuple[int, dict[str, str], bytes]
Behaviour = Callable[[dict[str, str], bytes], Answer | float]


def agreeable(_headers: dict[str, str], body: bytes) -> Answer:
    """Accepts everything, and answers a challenge."""
    said = msgspec.json.decode(body)
    return 200, {}, msgspec.json.encode({"challenge": said.get("challenge", "")})


class Receiver:
    """What arrived, in order."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.port = 0
        # The fields of each request's query, in order.
        self.queries: list[dict[str, str]] = []
        self.connections = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [msgspec.json.decode(body) for _, body in self.requests]

    @property
    def events(self) -> list[str]:
        return [body["event"] for body in self.bodies if body["type"] == "notification"]

    def verified(self, secret: str, now: float) -> list[str]:
        return [verify(secret, headers, body, now) for headers, body in self.requests]

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            self.queries.append(dict(parse_qsl(urlsplit(head.split(" ")[1]).query)))
            lines = [line.partition(": ") for line in head.split("\r\n")[1:] if line]
            headers = {name.lower(): value for name, _, value in lines}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            self.requests.append((headers, body))
            answer = self.behaviour(headers, body)
            if isinstance(answer, float):
                await asyncio.sleep(answer)
                return
            writer.write(_written(answer))
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()


def _written(answer: Answer) -> bytes:
    status, headers, body = answer
    fields = {"content-length": str(len(body)), "connection": "close"} | headers
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + body


@asynccontextmanager
async def receiver(behaviour: Behaviour = agreeable) -> AsyncIterator[Receiver]:
    """A receiver that listens until the block ends."""
    made = Receiver(behaviour)
    server = await asyncio.start_server(made.handle, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()


async def eventually(condition: Callable[[], bool], what: str) -> None:
    """Wait until something holds; a minute without it is a failure."""
    for _ in range(6000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"wanted {what} within a minute")
