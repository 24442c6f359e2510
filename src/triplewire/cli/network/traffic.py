"""Traffic of a running network: what was said between whom, from one moment to another."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence

from triplewire.cli.network.processes import SuperPeerProcess
from triplewire.errors import NetworkError
from triplewire.wire.networks import NetworkView

# What routing says; beats, tides and acknowledgements never end.
ROUTING = ("advertise", "subscribe", "notify")
_QUIET_SECONDS = 2.0
_LOOK_SECONDS = 0.1
_MOST_SECONDS = 60.0

# From a place to a place, by kind.
Said = Counter[tuple[int, int, str]]


def look(processes: Sequence[SuperPeerProcess]) -> list[NetworkView]:
    """What each super-peer knows now."""
    views = [process.view() for process in processes]
    found = [view for view in views if view is not None]
    if len(found) < len(views):
        raise NetworkError(wanted="an answer of every super-peer", found="that one does not answer")
    return found


def said(views: Sequence[NetworkView]) -> Said:
    """What was said by now."""
    places = {view.id: view.slot for view in views if view.slot is not None}
    counts: Said = Counter()
    for view in views:
        for other, kinds in view.lines.items():
            for kind, count in kinds.items():
                if kind in ROUTING and view.id in places and other in places:
                    counts[places[view.id], places[other], kind] += count
    return counts


def of_kind(steps: Said, kind: str) -> Said:
    """The messages of one kind."""
    return Counter({step: times for step, times in steps.items() if step[2] == kind})


def count(steps: Said, kind: str) -> int:
    """How many messages of a kind there were."""
    return of_kind(steps, kind).total()


def quiet(processes: Sequence[SuperPeerProcess]) -> Said:
    """Wait until routing has nothing more to say; what was said by then."""
    last, since = said(look(processes)), time.monotonic()
    deadline = since + _MOST_SECONDS
    while time.monotonic() - since < _QUIET_SECONDS:
        time.sleep(_LOOK_SECONDS)
        now = said(look(processes))
        if now != last:
            last, since = now, time.monotonic()
        if time.monotonic() > deadline:
            raise NetworkError(wanted="a network that comes to rest", found="one that does not")
    return last


def until(condition: Callable[[], bool], what: str) -> None:
    """Wait for something to become true, but not for ever."""
    deadline = time.monotonic() + _MOST_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise NetworkError(wanted=f"{what} within {_MOST_SECONDS:g} seconds", found="that it did not come")
        time.sleep(_LOOK_SECONDS)


def path(steps: Said, start: int) -> list[int]:
    """The places that messages went through, from a start, if they went along one path.

    >>> path(Counter({(7, 3, "notify"): 1, (3, 1, "notify"): 1}), 7)
    [7, 3, 1]
    """
    onward = {here: there for here, there, _ in steps}
    places = [start]
    while places[-1] in onward and len(places) <= len(onward):
        places.append(onward[places[-1]])
    return places
