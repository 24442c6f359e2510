"""A Triplewire node in its own process: loaded, furnished with views, stopped."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from msgspec import Struct

from benchmarks.node.http import Connection
from benchmarks.servers import free_port, has_started
from benchmarks.views.library import Kind, Library, query

_START_SECONDS = 600
# A change may take two seconds of the writer's time: so many triples do not, also beside other work.
_LOADED_AT_ONCE = 20_000
_PUTTING = 16
_TICKS = os.sysconf("SC_CLK_TCK")


class Shelf(Struct, frozen=True):
    """A view that was put: what it asks, and of which shelf."""

    kind: Kind
    number: int

    @property
    def view(self) -> str:
        return f"{self.kind.name.lower()}{self.number}"


class Node:
    """A node that runs."""

    def __init__(self, port: int, process: subprocess.Popen[bytes]) -> None:
        self.port = port
        self._process = process

    async def connections(self, count: int) -> list[Connection]:
        return [await Connection.open(self.port) for _ in range(count)]

    async def load(self, library: Library) -> float:
        """Post all triples to the default graph; returns the seconds that it took."""
        [connection] = await self.connections(1)
        lines, started = library.lines(), time.monotonic()
        while chunk := "".join(islice(lines, _LOADED_AT_ONCE)):
            await connection.wanted(200, "POST", "/graph?default", "application/n-triples", chunk.encode())
        connection.close()
        return time.monotonic() - started

    async def put_views(self, shelves: Sequence[Shelf]) -> float:
        """Put views, one request each; returns the seconds that it took."""
        started, waiting = time.monotonic(), iter(shelves)

        async def put(connection: Connection) -> None:
            for shelf in waiting:
                text = query(shelf.kind, shelf.number).encode()
                await connection.wanted(201, "PUT", f"/views/{shelf.view}", "application/sparql-query", text)
            connection.close()

        await asyncio.gather(*[put(connection) for connection in await self.connections(_PUTTING)])
        return time.monotonic() - started

    async def head(self) -> int:
        """The position of the newest event, which tells of a change that is made to see it."""
        [connection] = await self.connections(1)
        text = f"INSERT DATA {{ <urn:asked> <urn:at> {time.monotonic_ns()} }}"
        answer = await connection.wanted(200, "POST", "/update", "application/sparql-update", text.encode())
        connection.close()
        return max(int(event["position"]) for event in json.loads(answer)["events"])

    @property
    def resident_mib(self) -> float:
        """The memory of the node's process, without that of its replica."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    @property
    def cpu_seconds(self) -> float:
        """The processor's time that the node's process has used, without its replica: what noise changes least."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS


@contextmanager
def running(folder: Path) -> Iterator[tuple[Node, float]]:
    """A node over a folder, and the seconds until it answered."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "log").open("ab") as log:
        port, started = free_port(), time.monotonic()
        command = [sys.executable, "-m", "triplewire", "serve", "--open", "--port", str(port)]
        process = subprocess.Popen([*command, "--data", str(folder / "data")], stdout=log, stderr=log)
        try:
            if not has_started(port, process, _START_SECONDS):
                raise RuntimeError("the node did not start")
            yield Node(port, process), time.monotonic() - started
        finally:
            process.terminate()
            process.wait(_START_SECONDS)
