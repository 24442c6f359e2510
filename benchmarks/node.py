"""`make bench-node`: how many events a node accepts durably, and how soon it tells.

One node in its own process, publishers in another, all on loopback; an event counts when its request was acknowledged,
which is after the fsync. Clients speak HTTP/1.1 over plain sockets, so that they cost little beside the node.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

QUADS = 6


class Connection:
    """One keep-alive connection to the node."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, port: int) -> Connection:
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def request(self, method: str, path: str, media_type: str, body: bytes) -> tuple[int, bytes]:
        """Send one request; returns the status and the body of the answer."""
        about = f"Host: node\r\nContent-Type: {media_type}\r\nContent-Length: {len(body)}\r\n\r\n"
        self._writer.write(f"{method} {path} HTTP/1.1\r\n{about}".encode() + body)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        length = int(answer.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
        return int(answer[9:12]), await self._reader.readexactly(length)

    async def lines(self, path: str):
        """The lines of an event stream."""
        self._writer.write(f"GET {path} HTTP/1.1\r\nHost: node\r\nAccept: text/event-stream\r\n\r\n".encode())
        while line := await self._reader.readline():
            yield line

    def close(self) -> None:
        self._writer.close()


def events(name: str, first: int, count: int) -> bytes:
    """A request's worth of events; their third property tells when they were made."""
    now = time.monotonic()
    lines = []
    for number in range(first, first + count):
        graph = f"urn:e:{name}:{number}"
        lines.append(f'<urn:s:{number % 1000}> <urn:kind> "{number % 1000}" <{graph}> .\n')
        lines.append(f'<urn:s:{number % 1000}> <urn:made> "{now!r}" <{graph}> .\n')
        lines += [f'<urn:s:{number % 1000}> <urn:p{i}> "{number}" <{graph}> .\n' for i in range(QUADS - 2)]
    return "".join(lines).encode()


async def publisher(port: int, name: str, batch: int, until: float, pause: float = 0.0) -> int:
    """Publish until then; returns how many events were acknowledged."""
    connection = await Connection.open(port)
    sent = 0
    while time.monotonic() < until:
        status, answer = await connection.request("POST", "/events", "application/n-quads", events(name, sent, batch))
        if status != 201:
            raise RuntimeError(answer.decode())
        sent += batch
        if pause:
            await asyncio.sleep(pause)
    connection.close()
    return sent


async def accepted(port: int, run: str, publishers: int, batch: int, seconds: float) -> float:
    """Events a second."""
    started = time.monotonic()
    until = started + seconds
    counts = await asyncio.gather(*[publisher(port, f"{run}:{n}", batch, until) for n in range(publishers)])
    return sum(counts) / (time.monotonic() - started)


async def subscribe(port: int, first: int, last: int) -> None:
    """One subscription for each kind of event."""
    connection = await Connection.open(port)
    for number in range(first, last):
        query = f'SELECT ?made {{ ?s <urn:kind> "{number % 1000}" ; <urn:made> ?made }}'.encode()
        status, answer = await connection.request("PUT", f"/subscriptions/s{number}", "application/sparql-query", query)
        if status not in (200, 201):
            raise RuntimeError(answer.decode())
    connection.close()


async def listen(port: int, number: int, latencies: list[float]) -> None:
    """Follow a subscription, and note how long each notification took from the making of its event."""
    connection = await Connection.open(port)
    async for line in connection.lines(f"/subscriptions/s{number}/notifications"):
        if line.startswith(b"data: "):
            arrived = time.monotonic()
            solutions = json.loads(line[6:]).get("solutions", ())
            latencies += [arrived - float(solution["made"]["value"]) for solution in solutions]


async def latency(port: int, rate: float, listeners: int, seconds: float) -> list[float]:
    """Publish-to-notify times at a rate."""
    latencies: list[float] = []
    tasks = [asyncio.create_task(listen(port, number, latencies)) for number in range(listeners)]
    await asyncio.sleep(1)
    batch, publishers = 10, 16
    pause = batch * publishers / rate
    until = time.monotonic() + seconds
    await asyncio.gather(*[publisher(port, f"latency:{n}", batch, until, pause) for n in range(publishers)])
    await asyncio.sleep(1)
    for task in tasks:
        task.cancel()
    return latencies


def quantile(values: Sequence[float], part: float) -> float:
    return statistics.quantiles(values, n=1000)[min(998, round(part * 1000) - 1)] if len(values) > 1 else float("nan")


async def measure(port: int, seconds: float, table: Table) -> None:
    best = 0.0
    for subscriptions, label in ((0, "0"), (1000, "1,000")):
        await subscribe(port, 0, subscriptions)
        for batch in (1, 50):
            for publishers in (1, 16, 64):
                rate = await accepted(port, f"{label}:{batch}:{publishers}", publishers, batch, seconds)
                best = max(best, rate) if subscriptions else best
                table.add_row(label, str(publishers), str(batch), f"{rate:,.0f}", "", "")
    found = await latency(port, best / 2, 100, seconds)
    p50, p99 = (f"{quantile(found, part) * 1000:.1f} ms" for part in (0.5, 0.99))
    table.add_row("1,000, 100 by SSE", "16", "10", f"at {best / 2:,.0f}", p50, p99)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small run")
    seconds = 2.0 if parser.parse_args().quick else 10.0
    table = Table("subscriptions", "publishers", "events a request", "events/s", "notify p50", "notify p99")
    with tempfile.TemporaryDirectory() as folder, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        command = [sys.executable, "-m", "triplewire", "serve", "--open", "--port", str(port)]
        log = (Path(folder) / "log").open("wb")
        node = subprocess.Popen([*command, "--data", f"{folder}/node"], stdout=log, stderr=log)
        try:
            wait_for(port, node)
            asyncio.run(measure(port, seconds, table))
        finally:
            node.terminate()
            node.wait(60)
            log.close()
    Console().print(table)


def wait_for(port: int, node: subprocess.Popen[bytes]) -> None:
    while node.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("the node did not start")


if __name__ == "__main__":
    main()
