"""A process that answers queries, seen from the node: started when needed, asked one thing at a time, killed at need.

A process that does not answer in time, needs too much memory or crashes is ended, and that is an error of the one who
asked; the next question starts it again.
"""

from __future__ import annotations

import asyncio
import contextlib
import pickle
import sys
from pathlib import Path
from typing import Any

from triplewire.errors import BudgetExceeded, StoreFailed
from triplewire.node.repository import worker
from triplewire.node.repository.worker import LENGTH

_START_SECONDS = 30.0
_END_SECONDS = 5.0


class RepositoryProcess:
    """Used on the event loop. `position` is how far the store was when it last said so."""

    def __init__(self, kind: str, folder: Path, memory: int) -> None:
        self._kind = kind
        self._folder = folder
        self._memory = memory
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()
        self.position = 0

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        """Start it, unless it runs. One that was started again may be behind."""
        async with self._turn:
            await self._ready()

    async def ask(self, message: Any, seconds: float) -> Any:
        """The answer, or `BudgetExceeded`."""
        async with self._turn:
            process = await self._ready()
            try:
                async with asyncio.timeout(seconds):
                    return await _exchange(process, message)
            except TimeoutError:
                await self._kill()
                raise BudgetExceeded(f"the evaluation did not finish within {seconds:g} s") from None
            except (asyncio.IncompleteReadError, ConnectionError):
                await self._wait(process)
                await self._kill()
                raise BudgetExceeded("the evaluation needed too much memory, or crashed") from None
            except asyncio.CancelledError:
                # Half a conversation cannot be gone on with.
                await self._kill()
                raise

    async def end(self) -> None:
        """Let it finish what it does."""
        async with self._turn:
            process = self._process
            if process is not None and process.returncode is None and process.stdin is not None:
                process.stdin.close()
                await self._wait(process)
            await self._kill()

    async def _wait(self, process: asyncio.subprocess.Process) -> None:
        """Give a process that ends by itself the time to do so."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_END_SECONDS):
                await process.wait()

    async def _ready(self) -> asyncio.subprocess.Process:
        if self._process is not None and self._process.returncode is None:
            return self._process
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            worker.__file__,
            self._kind,
            str(self._folder),
            str(self._memory),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        try:
            self.position = await _begun(self._process)
        except (asyncio.IncompleteReadError, TimeoutError):
            await self._kill()
            raise StoreFailed(
                f"the repository in {self._folder} does not open; the database has everything that was in it: "
                "remove it while the node is stopped, and it is made again"
            ) from None
        return self._process

    async def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.kill()
            await process.wait()


async def _begun(process: asyncio.subprocess.Process) -> int:
    """The position from which it goes on. An upgrade may take as long as it needs, if it goes on."""
    word = ""
    while word != "done":
        async with asyncio.timeout(_START_SECONDS):
            word, position = await _received(process)
    return int(position)


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
