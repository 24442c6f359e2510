"""Nodes as processes of their own: a plain one, and those of a space."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.servers import free_port, has_started
from triplewire.cli.network.key import make_key
from triplewire.cli.space.processes import SpaceNodeProcess, settle

_START_SECONDS = 300


@contextmanager
def plain_node(folder: Path) -> Iterator[int]:
    """One node that is in no space; the port of its API."""
    port = free_port()
    command = [sys.executable, "-m", "triplewire", "serve", "--open", "--port", str(port), "--data", str(folder / "n")]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            if not has_started(port, process, _START_SECONDS):
                raise RuntimeError("the node did not start")
            yield port
        finally:
            process.terminate()
            process.wait(60)


@contextmanager
def space_of(folder: Path, nodes: int, strategy: str, settle_first: Callable[[int], object]) -> Iterator[list[int]]:
    """The nodes of a space, all in, and the ports of their APIs.

    `settle_first` is called with the first port before the others join, one after the other.
    """
    key = folder / "space.key"
    make_key(key)
    processes = [SpaceNodeProcess(folder, number, key, ("--strategy", strategy)) for number in range(nodes)]
    try:
        seeds: tuple[str, ...] = ()
        for process in processes:
            process.start(seeds)
            address = process.wait().address
            if not seeds:
                seeds = (address,)
                settle_first(process.port)
        settle(processes)
        yield [process.port for process in processes]
    finally:
        for process in reversed(processes):
            process.ask_to_end()
        for process in processes:
            process.end()
