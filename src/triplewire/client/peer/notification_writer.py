"""Writes notifications to the disk, many at a time, beside the event loop, in the order in which they came.

Gaps are saved among them: an acknowledgement covers everything before it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

from triplewire.client.peer.folder import Folder, Gap, Saved
from triplewire.network.sessions.peer.effects import NotificationReceived, NotificationsLost

Incoming = NotificationReceived | NotificationsLost
OnSaved = Callable[[Sequence[tuple[Incoming, Saved | Gap | None]]], None]
_MOST = 256


class NotificationWriter:
    """`done` is called with what is on disk: each with what was saved, None for a repeat."""

    def __init__(self, folder: Folder, done: OnSaved, failed: Callable[[OSError], None]) -> None:
        self._folder = folder
        self._done = done
        self._failed = failed
        self._waiting: deque[Incoming] = deque()
        self._wake_up = asyncio.Event()

    def add(self, arrived: Incoming) -> None:
        self._waiting.append(arrived)
        self._wake_up.set()

    async def run(self) -> None:
        """Save what comes, until cancelled."""
        try:
            while True:
                await self._wake_up.wait()
                self._wake_up.clear()
                while self._waiting:
                    await self._save()
        except OSError as problem:
            # What cannot be saved must not be acknowledged.
            self._failed(problem)

    async def _save(self) -> None:
        batch = [self._waiting.popleft() for _ in range(min(_MOST, len(self._waiting)))]
        saved = await asyncio.to_thread(self._write, batch)
        self._done(list(zip(batch, saved, strict=True)))

    def _write(self, batch: Sequence[Incoming]) -> list[Saved | Gap | None]:
        saved = iter(self._folder.notify([one.message for one in batch if isinstance(one, NotificationReceived)]))
        return [next(saved) if isinstance(one, NotificationReceived) else self._save_gap(one) for one in batch]

    def _save_gap(self, lapsed: NotificationsLost) -> Gap:
        message = lapsed.message
        gap = Gap(message.name, lapsed.access_point.id, message.after, message.until)
        self._folder.add_gap(gap)
        return gap
