"""A node with real sockets in the test's own process, and a client of SEPA's protocol in a few words."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import websockets
from tests.node.processes import free_port

from triplewire.node.serve import Server, _config
from triplewire.node.service import Node
from triplewire.node.settings import Settings

UPDATE = {"Content-Type": "application/sparql-update"}
QUERY = {"Content-Type": "application/sparql-query"}


class Talk:
    """One WebSocket."""

    def __init__(self, connection: websockets.ClientConnection) -> None:
        self.connection = connection

    async def send(self, frame: Any) -> None:
        await self.connection.send(frame if isinstance(frame, str | bytes) else json.dumps(frame))

    async def next(self) -> Any:
        return json.loads(await self.connection.recv())

    async def subscribe(self, sparql: str, alias: str = "al", **members: Any) -> Any:
        """Subscribe; whatever is answered."""
        await self.send({"subscribe": {"sparql": sparql, "alias": alias, **members}})
        return await self.next()

    async def unsubscribe(self, spuid: str) -> Any:
        await self.send({"unsubscribe": {"spuid": spuid}})
        return await self.next()

    async def told(self) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
        """Values of what the next notification says that came and went."""
        return changes(await self.next())

    async def left(self) -> tuple[int | None, str]:
        """Why the other side has left."""
        await self.connection.wait_closed()
        return self.connection.close_code, self.connection.close_reason or ""


def changes(frame: Any) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    told = frame["notification"]
    return values(told["addedResults"]), values(told["removedResults"])


def values(results: Any) -> list[dict[str, str]]:
    rows = ({name: term["value"] for name, term in row.items()} for row in results["results"]["bindings"])
    return sorted(rows, key=str)


class Served(httpx.AsyncClient):
    """An HTTP client with the node that it talks to."""

    node: Node
    server: Server
    port: int
    secret: str | None

    @property
    def headers_of_admin(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.secret}"}

    @asynccontextmanager
    async def talk(self, path: str = "/sepa/subscribe", **options: Any) -> AsyncIterator[Talk]:
        async with websockets.connect(f"ws://127.0.0.1:{self.port}{path}", proxy=None, **options) as connection:
            yield Talk(connection)

    async def update(self, sparql: str, **headers: str) -> Any:
        answer = await self.post("/sepa/update", content=sparql.encode(), headers=UPDATE | headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def query(self, sparql: str, **headers: str) -> httpx.Response:
        return await self.post("/sepa/query", content=sparql.encode(), headers=QUERY | headers)

    async def register(self, **wanted: Any) -> dict[str, str]:
        """A client that the administrator registers: its identifier and its secret."""
        answer = await self.post("/clients", json={"name": "somebody", **wanted}, headers=self.headers_of_admin)
        assert answer.status_code == 201, answer.text
        made: dict[str, str] = answer.json()
        return made

    async def at_rest(self) -> None:
        """Everything that was handed to the writer is done, also what came of it on the event loop."""
        await self.node.broker.store.write(lambda _: None)


@asynccontextmanager
async def served(folder: Path, **given: Any) -> AsyncIterator[Served]:
    """A node that listens. By default it is open."""
    settings = Settings(data=folder, port=free_port(), **{"open": True, **given})
    node = await Node.open(settings)
    shown: list[str] = []
    if not settings.open:
        await node.make_admin(shown.append)
    await node.begin()
    server = Server(_config(settings, node), node)
    running = asyncio.create_task(server.serve())
    try:
        while not server.started:
            await asyncio.sleep(0.01)
        async with Served(base_url=f"http://127.0.0.1:{settings.port}", timeout=60, trust_env=False) as client:
            client.node, client.server, client.port = node, server, settings.port
            client.secret = shown[0] if shown else None
            yield client
    finally:
        server.handle_exit(0, None)
        await running
        await node.stop()
