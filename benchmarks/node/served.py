"""A Triplewire node in its own process, and the load's side of it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from uuid import uuid4

from benchmarks.node.carrier import Hear
from benchmarks.node.http import Connection
from benchmarks.node.payloads import EVERYTHING, Payload, query
from benchmarks.servers import free_port, has_started
from triplewire.store.database import Database
from triplewire.store.tables import identities, registry
from triplewire.store.tables.identities import Client, Quotas, Rights
from triplewire.store.tables.registry import SubscriptionOptions, SubscriptionRecord

OWNER = "anonymous"
_EVERY_TRIPLE = "SELECT * { ?s ?p ?o }"
_FLOODER = Client("flooder", "flooder", None, Rights())
MOST_FLOOD = Quotas().unindexed or 0
_START_SECONDS = 300
_DATA = b"data: "
_VALUE = b'"value":"'


class Poster:
    """A publisher over HTTP: one request for all events."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def publish(self, events: Sequence[Payload]) -> None:
        body = b"".join([event.nquads for event in events])
        await self._connection.wanted(201, "POST", "/events", "application/n-quads", body)

    def close(self) -> None:
        self._connection.close()


class ServedNode:
    """A node that runs, with a subscription to each kind of event."""

    name = "Triplewire"

    def __init__(self, port: int, subscriptions: int, process: subprocess.Popen[bytes]) -> None:
        self.port = port
        self.subscriptions = subscriptions
        self.process = process

    async def publisher(self) -> Poster:
        return Poster(await Connection.open(self.port))

    async def listen(self, kind: int, hear: Hear) -> None:
        """Follow by server-sent events. The solution's one value is the moment."""
        connection = await Connection.open(self.port)
        await connection.begin_stream(f"/subscriptions/s{kind}/notifications?after={await self.head()}")
        async for line in connection.lines():
            if line.startswith(_DATA):
                _hear_solutions(line, hear)

    @asynccontextmanager
    async def stopped_reader(self) -> AsyncIterator[None]:
        """Somebody who subscribes to everything, connects, and does not read (row F5)."""
        path = "/subscriptions/everything"
        await self._ask(201, "PUT", path, "application/sparql-query", EVERYTHING.encode())
        reader = await Connection.open(self.port)
        reader.take_little()
        await reader.begin_stream(f"{path}/notifications")
        try:
            yield
        finally:
            reader.close()
            await self._ask(204, "DELETE", path, "", b"")

    async def head(self) -> int:
        """The position of the newest event: of one that is published to see."""
        body = f"<urn:s> <urn:p> <urn:o> <urn:uuid:{uuid4()}> .".encode()
        answer = await self._ask(201, "POST", "/events", "application/n-quads", body)
        return int(json.loads(answer)["events"][0]["position"])

    async def _ask(self, status: int, method: str, path: str, media_type: str, body: bytes) -> bytes:
        connection = await Connection.open(self.port)
        try:
            return await connection.wanted(status, method, path, media_type, body)
        finally:
            connection.close()

    @property
    def resident_mib(self) -> float:
        """The memory of the node's process."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def _hear_solutions(line: bytes, hear: Hear) -> None:
    start = line.find(_VALUE)
    while start >= 0:
        start += len(_VALUE)
        hear(float(line[start : line.index(b'"', start)]))
        start = line.find(_VALUE, start)


@contextmanager
def served(subscriptions: int, flood: int = 0) -> Iterator[ServedNode]:
    """A node in a folder of its own; `flood` is how many subscriptions to everything another client has (row A9)."""
    with tempfile.TemporaryDirectory(prefix="triplewire-bench-") as name:
        folder = Path(name) / "node"
        furnish(folder, subscriptions, flood)
        with (Path(name) / "log").open("wb") as log:
            port = free_port()
            command = [
                sys.executable,
                "-m",
                "triplewire",
                "serve",
                "--open",
                "--port",
                str(port),
                "--data",
                str(folder),
            ]
            process = subprocess.Popen(command, stdout=log, stderr=log)
            try:
                if not has_started(port, process, _START_SECONDS):
                    raise RuntimeError("the node did not start")
                yield ServedNode(port, subscriptions, process)
            finally:
                process.terminate()
                process.wait(60)


def furnish(folder: Path, subscriptions: int, flood: int) -> None:
    """Write the subscriptions into the folder; one request each would take longer than everything else."""
    database = Database(folder)
    records = [_record(OWNER, f"s{kind}", query(kind)) for kind in range(subscriptions)]
    records += [_record(_FLOODER.id, f"s{number}", _EVERY_TRIPLE) for number in range(flood)]
    database.writer.submit(lambda tx: [registry.insert(tx, record) for record in records]).result()
    database.writer.submit(lambda tx: identities.insert(tx, _FLOODER, b"nobody has its secret", 0.0)).result()
    database.close()


def _record(owner: str, name: str, text: str) -> SubscriptionRecord:
    return SubscriptionRecord(0, owner, name, "sparql", text, SubscriptionOptions(), 0, None, 0)
