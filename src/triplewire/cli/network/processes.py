"""Super-peers as processes of their own, on loopback."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from triplewire.cli.network.key import make_key
from triplewire.cli.node.processes import LOOK_SECONDS, START_SECONDS, NodeProcess, running
from triplewire.errors import NetworkError
from triplewire.wire.networks import NetworkView

KEY = "network.key"
_ROWS = 1_000


class SuperPeerProcess(NodeProcess[NetworkView]):
    """A super-peer: `triplewire serve` with the network's key."""

    def __init__(self, folder: Path, number: int, key: Path, flags: Sequence[str] = ()) -> None:
        super().__init__(
            folder, f"sp-{number}", ("--key", str(key), *flags), lambda client: client.network(limit=_ROWS)
        )


@contextmanager
def network(
    folder: Path, size: int, tell: Callable[[str], None], ending: Callable[[], None] = lambda: None
) -> Iterator[list[SuperPeerProcess]]:
    """So many super-peers of one network, all in; ended when the block does, the last one first.

    `ending` is called before the first is told to end.
    """
    key = folder / KEY
    if not key.exists():
        make_key(key)
    processes = [SuperPeerProcess(folder, number, key) for number in range(size)]
    with running(processes, tell, ending):
        tell("waiting until all know of each other")
        settle(processes)
        yield processes


def settle(processes: Sequence[SuperPeerProcess]) -> list[NetworkView]:
    """Wait until all that run are members and agree on the members; returns their views."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        alive = [process for process in processes if not process.has_ended]
        views = [view for process in alive if (view := process.view()) is not None]
        running_ids = {view.id for view in views}
        if len(views) == len(alive) and all(_alive(view) == running_ids for view in views):
            return views
        time.sleep(LOOK_SECONDS)
    raise NetworkError(wanted="super-peers that know of each other", found="that they did not come to that")


def _alive(view: NetworkView) -> set[str]:
    return {member.id for member in view.members if member.slot is not None} if view.stage == "in" else set()
