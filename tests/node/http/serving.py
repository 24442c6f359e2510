"""A node without a socket: its application, called by an HTTP client in the same process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from triplewire.node.http import create_app
from triplewire.node.service import Node
from triplewire.node.settings import Settings

NQUADS = {"Content-Type": "application/n-quads"}
TURTLE = {"Content-Type": "text/turtle"}
QUERY = {"Content-Type": "application/sparql-query"}


class Api(httpx.AsyncClient):
    """An HTTP client with the node that it talks to."""

    node: Node

    async def register(self, **wanted: Any) -> dict[str, str]:
        answer = await self.post("/clients", json={"name": "somebody", **wanted})
        assert answer.status_code == 201, answer.text
        return {"Authorization": f"Bearer {answer.json()['secret']}"}


@asynccontextmanager
async def api_of(folder: Path, **settings: Any) -> AsyncIterator[Api]:
    """The API of a node. By default it is open; a closed one is asked as its administrator."""
    node = await Node.open(Settings(data=folder, **{"open": True, **settings}))
    shown: list[str] = []
    if not node.settings.open:
        await node.make_admin(shown.append)
    headers = {"Authorization": f"Bearer {shown[0]}"} if shown else {}
    transport = httpx.ASGITransport(create_app(node), raise_app_exceptions=False)
    await node.begin()
    try:
        async with Api(transport=transport, base_url="http://localhost", headers=headers) as api:
            api.node = node
            yield api
    finally:
        await node.stop()


def is_problem(answer: httpx.Response, status: int, kind: str) -> bool:
    """Whether an answer is these problem details."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == status
    assert body["title"]
    assert body["detail"]
    return body["type"] == f"urn:triplewire:problem:{kind}"
