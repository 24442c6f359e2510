"""HTTP/1.1 over plain sockets: just enough to publish and to follow, so that clients cost little beside the node."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator

_LINE_BYTES = 64 * 1024
_HOST = "Host: 127.0.0.1\r\n"


class Connection:
    """One keep-alive connection to the node."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, port: int) -> Connection:
        return cls(*await asyncio.open_connection("127.0.0.1", port, limit=_LINE_BYTES))

    async def request(self, method: str, path: str, media_type: str, body: bytes) -> tuple[int, bytes]:
        """Send one request; returns the status and the body of the answer."""
        about = f"{_HOST}Content-Type: {media_type}\r\nContent-Length: {len(body)}\r\n\r\n"
        self._writer.write(f"{method} {path} HTTP/1.1\r\n{about}".encode() + body)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        length = int(answer.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
        return int(answer[9:12]), await self._reader.readexactly(length)

    async def wanted(self, status: int, method: str, path: str, media_type: str, body: bytes) -> bytes:
        """The body of an answer that has this status."""
        found, answer = await self.request(method, path, media_type, body)
        if found != status:
            raise RuntimeError(f"{method} {path}: wanted {status}, found {found}: {answer.decode(errors='replace')}")
        return answer

    async def begin_stream(self, path: str) -> None:
        """Ask for an event stream, and read what precedes it."""
        self._writer.write(f"GET {path} HTTP/1.1\r\n{_HOST}Accept: text/event-stream\r\n\r\n".encode())
        answer = await self._reader.readuntil(b"\r\n\r\n")
        if answer[9:12] != b"200":
            raise RuntimeError(f"{path}: wanted a stream, found {answer.decode(errors='replace')}")

    async def lines(self) -> AsyncIterator[bytes]:
        """The lines of a stream that was begun."""
        while line := await self._reader.readline():
            yield line

    def take_little(self) -> None:
        """Have the system's smallest buffer: who does not read then lets the other side wait soon."""
        self._writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)

    def close(self) -> None:
        self._writer.close()
