"""The worker's process, seen from the node: started, spoken to, and started again whenever it ends.

What it has acknowledged is on its disk, and whoever asked it something asks again after a restart (`on_start`), so its
end costs a moment and nothing else. If the node ends, however that happens, the worker's input ends, and so does it.

Resource handling: while `has_room` says no, nothing is read from the worker, which then takes nothing from others.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress

from triplewire.node.space.worker_messages import LENGTH, Answer, Begin, Request, answers_in, packed
from triplewire.system.backoff import Backoff

_log = logging.getLogger(__name__)

_MODULE = "triplewire.node.space.worker.main"
_BACKOFF = Backoff(first=0.2, longest=10.0)
# Whoever has run for so long has not failed at its start.
_STEADY_SECONDS = 30.0
_END_SECONDS = 20.0


class WorkerProcess:
    """Used on the event loop. `run` it until it is cancelled, then `end` it.

    `begin` has what the worker is told first, `on_start` what is to be said again, `on_answer` takes what it says.
    """

    def __init__(
        self,
        begin: Callable[[], Begin],
        on_start: Callable[[], Iterable[Request]],
        on_answer: Callable[[Answer], None],
        has_room: Callable[[], Awaitable[None]],
    ) -> None:
        self._begin = begin
        self._on_start = on_start
        self._on_answer = on_answer
        self._has_room = has_room
        self._process: asyncio.subprocess.Process | None = None
        self._waiting: list[Request] = []
        self.starts = 0

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def say(self, request: Request) -> None:
        """Say something, together with what else is said in this turn. One that does not run is told at its start."""
        if self._process is None:
            return
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._flush)
        self._waiting.append(request)

    async def run(self) -> None:
        """Start it, and start it again when it ends, later and later if it does so at once."""
        failures = 0
        while True:
            started = time.monotonic()
            code = await self._lived()
            failures = 1 if time.monotonic() - started > _STEADY_SECONDS else failures + 1
            delay = _BACKOFF.delay(failures)
            _log.error("the worker of the space has ended with %s; it is started again in %.1f s", code, delay)
            await asyncio.sleep(delay)

    async def end(self) -> None:
        """Let it finish what it does."""
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            async with asyncio.timeout(_END_SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()

    async def _lived(self) -> int | None:
        # In a session of its own: an interrupt at the terminal is the node's to handle. uvloop has no `process_group`.
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            _MODULE,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        self._process = process
        self.starts += 1
        self._waiting = [self._begin(), *self._on_start()]
        self._flush()
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            await self._listen(process)
        self._process = None
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
        return await process.wait()

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while True:
            length = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))[0]
            for answer in answers_in(await process.stdout.readexactly(length)):
                self._on_answer(answer)
            await self._has_room()

    def _flush(self) -> None:
        requests, self._waiting = self._waiting, []
        if requests and self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(packed(requests))
