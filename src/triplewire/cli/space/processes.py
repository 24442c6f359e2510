"""Nodes of an event space as processes of their own, on loopback."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from triplewire.cli.network.key import make_key
from triplewire.cli.node.processes import LOOK_SECONDS, START_SECONDS, NodeProcess, running
from triplewire.errors import NetworkError
from triplewire.wire.spaces import SpaceView

KEY = "space.key"


class SpaceNodeProcess(NodeProcess[SpaceView]):
    """A node of the space: `triplewire serve --space` with the space's key."""

    def __init__(self, folder: Path, number: int, key: Path, flags: Sequence[str] = ()) -> None:
        member = ("--key", str(key), "--space", *flags)
        super().__init__(folder, f"node-{number}", member, lambda client: client.space())


@contextmanager
def space(
    folder: Path,
    size: int,
    tell: Callable[[str], None],
    ending: Callable[[], None] = lambda: None,
    flags: Sequence[str] = (),
) -> Iterator[list[SpaceNodeProcess]]:
    """So many nodes of one space, all in; ended when the block does, the last one first.

    `ending` is called before the first is told to end.
    """
    key = folder / KEY
    if not key.exists():
        make_key(key)
    processes = [SpaceNodeProcess(folder, number, key, flags) for number in range(size)]
    with running(processes, tell, ending):
        tell("waiting until all know of each other")
        settle(processes)
        yield processes


def settle(processes: Sequence[SpaceNodeProcess]) -> list[SpaceView]:
    """Wait until all that run see the same nodes, all in, each with a replica elsewhere; returns their views."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        alive = [process for process in processes if not process.has_ended]
        views = [view for process in alive if (view := process.view()) is not None]
        ids = {view.id for view in views}
        if len(views) == len(alive) and all(_is_settled(view, ids) for view in views):
            return views
        time.sleep(LOOK_SECONDS)
    raise NetworkError(wanted="nodes that know of each other", found="that they did not come to that")


def _is_settled(view: SpaceView, ids: set[str]) -> bool:
    everybody_in = {node.id for node in view.nodes if node.stage == "in" and node.zones} == ids and not view.silent
    return everybody_in and (len(ids) == 1 or all(node.holder in ids for node in view.nodes))
