"""The worker's side of the pipe to its node: requests from standard input, answers to standard output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable

from triplewire.node.space.worker_messages import LENGTH, Answer, Request, packed, requests_in


class Pipe:
    """Open it on an event loop with `await Pipe.open()`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls) -> Pipe:
        """Standard input and output."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
        # Nothing is read from the second one; a writer wants the protocol for its flow control.
        flow = asyncio.StreamReaderProtocol(asyncio.StreamReader())
        transport, _ = await loop.connect_write_pipe(lambda: flow, sys.stdout.buffer)
        return cls(reader, asyncio.StreamWriter(transport, flow, None, loop))

    async def read(self) -> list[Request]:
        """The next requests, none at the end."""
        try:
            length = LENGTH.unpack(await self._reader.readexactly(LENGTH.size))[0]
            return requests_in(await self._reader.readexactly(length))
        except (asyncio.IncompleteReadError, ConnectionError):
            return []

    async def follow(self, take: Callable[[list[Request]], None]) -> None:
        """Hand over requests until the node ends."""
        while requests := await self.read():
            take(requests)

    def write(self, answers: list[Answer]) -> None:
        if answers:
            self._writer.write(packed(answers))

    async def drain(self) -> None:
        """Wait until the node has read most of what was written."""
        await self._writer.drain()
