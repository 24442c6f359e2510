"""Saving: notifications go to the disk many at a time, beside the event loop, in the order in which they came.

That some are lost is saved among them: whatever is acknowledged, everything before it is acknowledged with it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

from triplewire.client.peer.folder import Folder, Gap, Saved
from triplewire.network.sessions.peer.effects import Arrived, Lapsed

Coming = Arrived | Lapsed
Done = Callable[[Sequence[tuple[Coming, Saved | Gap | None]]], None]
_MOST = 256


class Saving:
    """`done` is told what is safe: each with what was saved, None for one that was there already."""

    def __init__(self, folder: Folder, done: Done, failed: Callable[[OSError], None]) -> None:
        self._folder = folder
        self._done = done
        self._failed = failed
        self._waiting: deque[Coming] = deque()
        self._news = asyncio.Event()

    def add(self, arrived: Coming) -> None:
        self._waiting.append(arrived)
        self._news.set()

    async def run(self) -> None:
        """Save what comes, until cancelled."""
        try:
            while True:
                await self._news.wait()
                self._news.clear()
                while self._waiting:
                    await self._save()
        except OSError as problem:
            # What cannot be saved must not be acknowledged.
            self._failed(problem)

    async def _save(self) -> None:
        batch = [self._waiting.popleft() for _ in range(min(_MOST, len(self._waiting)))]
        saved = await asyncio.to_thread(self._write, batch)
        self._done(list(zip(batch, saved, strict=True)))

    def _write(self, batch: Sequence[Coming]) -> list[Saved | Gap | None]:
        saved = iter(self._folder.notify([one.word for one in batch if isinstance(one, Arrived)]))
        return [next(saved) if isinstance(one, Arrived) else self._lose(one) for one in batch]

    def _lose(self, lapsed: Lapsed) -> Gap:
        word = lapsed.word
        gap = Gap(word.name, lapsed.place.id, word.after, word.until)
        self._folder.lose(gap)
        return gap
