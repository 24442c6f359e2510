"""The repository: everything that is kept, as one dataset that answers SPARQL.

It follows the log. Its store lives in a process of its own (`repository_worker`), so that a query that runs away is
ended from outside by killing that process, which costs nobody else anything: it starts again and goes on from where
it was. The default graph is the union of all events; each event is a named graph.

No text reaches Oxigraph that was not read by our own front end first; SERVICE, FROM and LOAD are refused there, and
what is sent is printed from the syntax tree (rows A2 and A10).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import pickle
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from triplewire.errors import BudgetExceeded, InputError, StoreError
from triplewire.languages.sparql import ast
from triplewire.languages.sparql.parser import parse_query
from triplewire.languages.sparql.printer import print_query
from triplewire.node import repository_worker
from triplewire.node.broker import Broker
from triplewire.node.repository_worker import LENGTH
from triplewire.store import log
from triplewire.store.log import Record

MIB = 1 << 20
_log = logging.getLogger(__name__)
_CHUNK = 256
_ADD_SECONDS = 60.0
_START_SECONDS = 30.0
_BEHIND_SECONDS = 5.0


class Allowed(Struct, frozen=True):
    """What one query may use: seconds, bytes of memory, and bytes of result."""

    seconds: float = 10.0
    memory: int = 4096 * MIB
    result: int = 64 * MIB


class Result(Struct, frozen=True):
    """A query's result, in the syntax that its media type names."""

    media_type: str
    content: bytes


class Repository:
    """Follows a broker's log. `start` and `stop` it on the event loop."""

    def __init__(self, folder: Path, broker: Broker, allowed: Allowed) -> None:
        self._folder = folder
        self._broker = broker
        self._allowed = allowed
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()
        self._news = asyncio.Event()
        self._moved = asyncio.Condition()
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Task[None] | None = None
        self.position = 0
        self.trouble: str | None = None

    async def start(self) -> None:
        """Begin to follow the log."""
        self._broker.followers.append(self._notice)
        self._task = asyncio.create_task(self._follow(), name="repository")

    async def stop(self) -> None:
        """End the process after what it is doing."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        async with self._turn:
            await self._end()

    async def query(self, text: str, media_type: str) -> Result:
        """Evaluate a query over everything that was acknowledged before it came."""
        tree = parse_query(text)
        printed = print_query(tree)
        await self._reach(await self._broker.read(log.head))
        message = ("query", printed, media_type, self._allowed.result)
        kind, *content = await self._ask(message, self._allowed.seconds)
        if kind == "refused":
            raise InputError(content[0])
        return Result(*content)

    async def remove(self, graphs: Sequence[str]) -> None:
        """Forget events that retention has removed."""
        await self._ask(("remove", list(graphs)), _ADD_SECONDS)

    def _notice(self, records: Sequence[Record]) -> None:
        if records and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._news.set)

    async def _follow(self) -> None:
        try:
            await self._follow_log()
        except (StoreError, OSError, TimeoutError) as problem:
            self.trouble = str(problem)
            _log.error("the repository does not follow the log any more: %s", problem)

    async def _follow_log(self) -> None:
        while True:
            self._news.clear()
            await self._ask_position()
            records = await self._broker.read(lambda tx: log.after(tx, self.position, _CHUNK))
            if not records:
                await self._news.wait()
                continue
            events = [(record.graph, record.nquads) for record in records]
            with contextlib.suppress(BudgetExceeded):
                _, self.position = await self._ask(("add", records[-1].position, events), _ADD_SECONDS)
            async with self._moved:
                self._moved.notify_all()

    async def _ask_position(self) -> None:
        """A process that was started again may be behind."""
        if self._process is None or self._process.returncode is not None:
            async with self._turn:
                await self._ready()

    async def _reach(self, position: int) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_BEHIND_SECONDS), self._moved:
                await self._moved.wait_for(lambda: self.position >= position)

    async def _ask(self, message: Any, seconds: float) -> Any:
        async with self._turn:
            process = await self._ready()
            try:
                async with asyncio.timeout(seconds):
                    return await _exchange(process, message)
            except TimeoutError:
                await self._kill()
                raise BudgetExceeded(f"the evaluation did not finish within {seconds:g} s") from None
            except (asyncio.IncompleteReadError, ConnectionError):
                await self._kill()
                raise BudgetExceeded("the evaluation needed too much memory, or crashed") from None
            except asyncio.CancelledError:
                # Half a conversation cannot be gone on with.
                await self._kill()
                raise

    async def _ready(self) -> asyncio.subprocess.Process:
        if self._process is not None and self._process.returncode is None:
            return self._process
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            repository_worker.__file__,
            str(self._folder),
            str(self._allowed.memory),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(_START_SECONDS):
            _, self.position = await _received(self._process)
        return self._process

    async def _end(self) -> None:
        """Let the process finish what it does."""
        process = self._process
        if process is not None and process.returncode is None and process.stdin is not None:
            process.stdin.close()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_BEHIND_SECONDS):
                    await process.wait()
        await self._kill()

    async def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.kill()
            await process.wait()
        self._news.set()


def is_graph_query(text: str) -> bool:
    """Whether a query's result is RDF."""
    return isinstance(parse_query(text), ast.ConstructQuery)


async def _exchange(process: asyncio.subprocess.Process, message: Any) -> Any:
    assert process.stdin is not None
    data = pickle.dumps(message)
    process.stdin.write(LENGTH.pack(len(data)) + data)
    await process.stdin.drain()
    return await _received(process)


async def _received(process: asyncio.subprocess.Process) -> Any:
    assert process.stdout is not None
    length = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))[0]
    return pickle.loads(await process.stdout.readexactly(length))
