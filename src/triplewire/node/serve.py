"""Run a node until it is told to stop, or its disk fails.

Graceful stop: a signal ends the listening first; requests that were begun are answered, what waits is committed, and
the folder is let go (`shutdown` has what happens before that). A failed disk ends the process with an error, at once:
a restart reads what is really there (row F2).
"""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import uvicorn

from triplewire.errors import StoreFailed
from triplewire.node.http import create_app
from triplewire.node.http.connections import BoundedWebSocket, bounded_protocol
from triplewire.node.logs import JsonLine, OneLine, configure
from triplewire.node.overlay.overlay_settings import overlay_settings
from triplewire.node.readiness import tell_ready, tell_stopping
from triplewire.node.service import Node
from triplewire.node.settings import Settings
from triplewire.node.shutdown import Signals
from triplewire.node.space.space_settings import space_settings
from triplewire.system.collector import look_at_all_seldom, pass_over_what_lasts
from triplewire.system.supervisor import Supervisor

_log = logging.getLogger(__name__)
_GRACE_SECONDS = 10
_LOOK_SECONDS = 0.2
# The longest that a WebSocket takes is a query, every character of it escaped.
_MESSAGE_BYTES = 1 << 20


def serve(settings: Settings, signals: Signals) -> None:
    """Serve until a signal comes. Raises `StoreFailed` if the disk failed."""
    configure(JsonLine() if settings.log_json else OneLine(), settings.log_level)
    # A commit should not wait long for a parser to let go.
    sys.setswitchinterval(0.0002)
    with asyncio.Runner(loop_factory=uvicorn.Config("", log_config=None).get_loop_factory()) as runner:
        runner.run(_serve(settings, signals))


async def _serve(settings: Settings, signals: Signals) -> None:
    # What is wrong with it is reported before the folder is opened.
    overlay_settings(settings)
    space_settings(settings)
    node = await Node.open(settings)
    # To look at what lasts as long as the process takes a tenth of a second.
    pass_over_what_lasts()
    look_at_all_seldom()
    server = Server(_config(settings, node), node)
    signals.lead_to(server.handle_exit)
    tasks = Supervisor()
    try:
        if not settings.open:
            await node.make_admin(_show)
        await node.begin()
        tasks.start("watch for a failed store", _stop_on_failure(node, server))
        for network in (node.overlay, node.space):
            if network is not None:
                await _joined(network.joined(), server)
        await _listening(server, settings)
    finally:
        await tasks.stop()
        await node.stop()
    if node.broker.store.failure is not None:
        raise StoreFailed(str(node.broker.store.failure))


async def _listening(server: uvicorn.Server, settings: Settings) -> None:
    try:
        await server.serve()
    except SystemExit:
        # How the server says that it cannot listen; the reason is in its log.
        raise OSError(f"cannot listen on {settings.host}:{settings.port}") from None


async def _joined(joined: Coroutine[Any, Any, None], server: uvicorn.Server) -> None:
    """Wait until the node is in its network or space, or is told to stop."""
    joining = asyncio.create_task(joined)
    while not joining.done() and not server.should_exit:
        await asyncio.wait({joining}, timeout=_LOOK_SECONDS)
    if joining.done():
        joining.result()
    joining.cancel()


def _config(settings: Settings, node: Node) -> uvicorn.Config:
    return uvicorn.Config(
        create_app(node),
        host=settings.host,
        port=settings.port,
        http=bounded_protocol(settings.head_seconds, settings.body_seconds),
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        ws=BoundedWebSocket,
        ws_max_size=_MESSAGE_BYTES,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
    )


class Server(uvicorn.Server):
    """A server that ends its streams when it is told to stop, instead of waiting for their readers to leave."""

    def __init__(self, config: uvicorn.Config, node: Node) -> None:
        super().__init__(config)
        self._node = node
        self._loop = asyncio.get_running_loop()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are handled by `shutdown`, which began before there was a server."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets)
        if self.started:
            tell_ready(f"http://{self.config.host}:{_port(self)}")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen no longer, and say so."""
        tell_stopping()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._loop.call_soon_threadsafe(self._node.streams.stop)
        super().handle_exit(sig, frame)


def _port(server: uvicorn.Server) -> int:
    """Where it listens, also if the port was any free one."""
    port: int = server.servers[0].sockets[0].getsockname()[1]
    return port


async def _stop_on_failure(node: Node, server: uvicorn.Server) -> None:
    await node.failed.wait()
    node.streams.stop()
    server.should_exit = True


def _show(secret: str) -> None:
    """Print the administrator's secret; it is kept nowhere."""
    print(f"administrator's secret, shown this once: {secret}", flush=True)
