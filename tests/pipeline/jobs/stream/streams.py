"""Streams for tests."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from triplewire.pipeline.jobs.stream import Folder, StreamRequest

_PATIENCE_SECONDS = 240.0


def asked(feed: Path, out: Path, **others) -> StreamRequest:
    """A stream of a feed into a lake, until nothing is left."""
    request = {
        "source": Folder(str(feed / "events")),
        "subscriptions": (str(feed / "subscriptions.jsonl"),),
        "taxonomy": str(feed / "taxonomy.ttl"),
        "out": str(out),
        "drain": True,
    }
    return StreamRequest(**{**request, **others})


def until(holds: Callable[[], bool]) -> None:
    """Wait for something that another thread or process does."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline, "wanted it within minutes, found that it does not come"
        time.sleep(0.05)
