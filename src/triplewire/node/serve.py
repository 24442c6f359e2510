"""Run a node until it is told to stop, or its disk fails.

Graceful stop: SIGTERM and SIGINT end the listening first; requests that were begun are answered, what waits is
committed, and the folder is let go. A failed disk ends the process with an error, at once: whoever restarts it gets
what is really there (row F2).
"""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from triplewire.errors import StoreFailed
from triplewire.node.http import create_app
from triplewire.node.logs import JsonLine, OneLine, configure
from triplewire.node.service import Node
from triplewire.node.settings import Settings

_log = logging.getLogger(__name__)
_GRACE_SECONDS = 10


def serve(settings: Settings) -> None:
    """Serve until a signal comes. Raises `StoreFailed` if the disk failed."""
    configure(JsonLine() if settings.log_json else OneLine())
    # A commit should not wait long for a parser to let go.
    sys.setswitchinterval(0.001)
    with (
        _signals_handled(),
        asyncio.Runner(loop_factory=uvicorn.Config("", log_config=None).get_loop_factory()) as runner,
    ):
        runner.run(_serve(settings))


@contextmanager
def _signals_handled() -> Iterator[None]:
    """The server stops in order when a signal comes, and raises it again when it has: that is the end of it."""
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


async def _serve(settings: Settings) -> None:
    node = await Node.open(settings)
    if not settings.open:
        await _show_admin_secret(node)
    config = uvicorn.Config(
        create_app(node),
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        server_header=False,
        proxy_headers=False,
    )
    server = Server(config, node)
    watch = asyncio.create_task(_stop_on_failure(node, server))
    await server.serve()
    watch.cancel()
    if node.broker.failure is not None:
        raise StoreFailed(str(node.broker.failure))
    if not server.started:
        raise OSError(f"cannot listen on {settings.host}:{settings.port}")


class Server(uvicorn.Server):
    """A server that ends its streams when it is told to stop, instead of waiting for their readers to leave."""

    def __init__(self, config: uvicorn.Config, node: Node) -> None:
        super().__init__(config)
        self._node = node
        self._loop = asyncio.get_running_loop()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._loop.call_soon_threadsafe(self._node.streams.stop)
        super().handle_exit(sig, frame)


async def _stop_on_failure(node: Node, server: uvicorn.Server) -> None:
    await node.failed.wait()
    node.streams.stop()
    server.should_exit = True


async def _show_admin_secret(node: Node) -> None:
    """Print the administrator's secret at the first start; it is kept nowhere."""
    secret = await node.make_admin()
    if secret is not None:
        print(f"administrator's secret, shown this once: {secret}", flush=True)
