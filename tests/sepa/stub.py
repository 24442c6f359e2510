"""A server of SEPA's protocol that is right and slow: every query is run again after every update, and compared.

It speaks through the same frames and the same session as a node. The clients' tests are tried on it first, so that a
failure at a node is the node's.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Any

import msgspec
import uvicorn
from fastapi import FastAPI, Request, Response, WebSocket, WebSocketDisconnect
from pyoxigraph import NamedNode, QueryBoolean, QuerySolutions, QueryTriples, Store
from tests.node.processes import free_port

from triplewire.errors import InputError
from triplewire.languages.sparql import parse_dataset_query, parse_update, print_dataset_query, print_update
from triplewire.node.sepa.session import Close, Effect, Open, Session
from triplewire.rdf.sparql_json import json_binding
from triplewire.wire.sepa import Refusal, Results, refusal_answer, update_answer

BASE = "http://localhost/"
JSON = "application/json"
Rows = Counter[bytes]


class Stub:
    """A store, and who is to be told of what."""

    def __init__(self) -> None:
        self._store = Store()
        self._sockets: dict[int, Socket] = {}
        self.turn = asyncio.Lock()

    def query(self, text: str, default: tuple[str, ...] = (), named: tuple[str, ...] = ()) -> tuple[list[str], Rows]:
        """Variables, and rows as JSON, each as often as it is an answer."""
        query = parse_dataset_query(text, BASE).over([*map(NamedNode, default)], [*map(NamedNode, named)])
        found = self._store.query(print_dataset_query(query))
        if isinstance(found, QueryBoolean):
            return [], Counter([b"{}"] if found else [])
        if isinstance(found, QueryTriples):
            names = ["subject", "predicate", "object"]
            return names, Counter(_row(dict(zip(names, triple, strict=True))) for triple in found)
        assert isinstance(found, QuerySolutions)
        names = [variable.value for variable in found.variables]
        return names, Counter(_row({n: row[n] for n in names if row[n] is not None}) for row in found)

    async def update(self, text: str) -> None:
        self._store.update(print_update(parse_update(text, BASE)))
        for socket in [*self._sockets.values()]:
            await socket.compare()

    async def serve(self, websocket: WebSocket) -> None:
        await websocket.accept()
        socket = self._sockets[id(websocket)] = Socket(self, websocket)
        try:
            while True:
                frame = await websocket.receive_text()
                async with self.turn:
                    await socket.do(socket.session.received(frame))
        except WebSocketDisconnect:
            del self._sockets[id(websocket)]


class Socket:
    """One client's socket: its session, and the last answer of each of its queries."""

    def __init__(self, stub: Stub, websocket: WebSocket) -> None:
        self.session = Session()
        self._stub = stub
        self._websocket = websocket
        self._queries: dict[str, tuple[Any, Rows]] = {}

    async def do(self, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Open):
                await self._open(effect)
            elif isinstance(effect, Close):
                del self._queries[effect.spuid]
            else:
                await self._websocket.send_text(effect.frame)

    async def _open(self, effect: Open) -> None:
        asked = effect.request
        arguments = (asked.sparql, asked.default_graphs, asked.named_graphs)
        try:
            names, rows = self._stub.query(*arguments)
        except (InputError, SyntaxError) as error:
            await self.do(self.session.refused(effect.spuid, "bad_request", 400, str(error)))
            return
        self._queries[effect.spuid] = (arguments, rows)
        await self.do(self.session.answered(effect.spuid, _results(names, rows)))

    async def compare(self) -> None:
        """Run every query again, and tell what is different."""
        for spuid, (arguments, before) in [*self._queries.items()]:
            names, after = self._stub.query(*arguments)
            self._queries[spuid] = (arguments, after)
            added, removed = _results(names, after - before), _results(names, before - after)
            with suppress(WebSocketDisconnect, RuntimeError):  # a socket that has just gone
                await self.do(self.session.changed(spuid, added, removed))


def _row(solution: dict[str, Any]) -> bytes:
    return msgspec.json.encode(json_binding(solution), order="sorted")


def _results(names: list[str], rows: Rows) -> Results:
    return Results(tuple(names), tuple(msgspec.json.decode(row) for row in rows.elements()))


def application() -> FastAPI:
    app, stub = FastAPI(), Stub()

    @app.post("/query")
    async def query(request: Request) -> Response:
        async with stub.turn:
            try:
                names, rows = stub.query((await request.body()).decode())
            except (InputError, SyntaxError) as error:
                return _refusal(error)
        return Response(msgspec.json.encode(_results(names, rows).document()), media_type=JSON)

    @app.post("/update")
    async def update(request: Request) -> Response:
        async with stub.turn:
            try:
                await stub.update((await request.body()).decode())
            except (InputError, SyntaxError, ValueError) as error:
                return _refusal(error)
        return Response(update_answer([], []), media_type=JSON)

    app.add_api_websocket_route("/subscribe", stub.serve)
    return app


def _refusal(error: Exception) -> Response:
    return Response(refusal_answer(Refusal("bad_request", 400, str(error))), 400, media_type=JSON)


@contextmanager
def stub_server() -> Iterator[int]:
    """A stub on a free port of loopback."""
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(application(), host="127.0.0.1", port=port, log_level="warning"))
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.02)
        assert thread.is_alive(), "the stub did not start"
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join(10)
