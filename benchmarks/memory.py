"""The memory of Spark's Python workers, and of this process, while something is measured."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

_SECONDS = 0.5


class MemoryWatch:
    """`most` is the most that one worker had for itself, `together` the most that all had, this process included."""

    def __init__(self) -> None:
        self.most = 0
        self.together = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> MemoryWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(_SECONDS):
            workers = [_private_bytes(worker) for worker in _workers()]
            self.most = max([self.most, *workers])
            self.together = max(self.together, sum(workers) + _private_bytes(Path(f"/proc/{os.getpid()}")))


def _workers() -> Iterator[Path]:
    """The workers of this process's sessions, and of nobody else's."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"pyspark.daemon" in (folder / "cmdline").read_bytes() and os.getpid() in _ancestors(folder):
                yield folder
        except OSError:
            continue


def _ancestors(process: Path) -> Iterator[int]:
    while (parent := int((process / "stat").read_text().rpartition(")")[2].split()[1])) > 1:
        yield parent
        process = Path(f"/proc/{parent}")


def _private_bytes(process: Path) -> int:
    try:
        lines = (process / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Private_"))
