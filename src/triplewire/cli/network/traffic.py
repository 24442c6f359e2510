"""Traffic of a running network: messages by sender, receiver and kind, between two moments."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence

from triplewire.cli.network.processes import SuperPeerProcess
from triplewire.errors import NetworkError
from triplewire.wire.networks import NetworkView

# The messages of routing; heartbeats, watermarks and acknowledgements never end.
ROUTING = ("advertise", "subscribe", "notify")
_QUIET_SECONDS = 2.0
_LOOK_SECONDS = 0.1
_MOST_SECONDS = 60.0

# From a place to a place, by kind.
MessageCounts = Counter[tuple[int, int, str]]


def look(processes: Sequence[SuperPeerProcess]) -> list[NetworkView]:
    """The present view of each super-peer."""
    views = [process.view() for process in processes]
    found = [view for view in views if view is not None]
    if len(found) < len(views):
        raise NetworkError(wanted="an answer of every super-peer", found="that one does not answer")
    return found


def sent_so_far(views: Sequence[NetworkView]) -> MessageCounts:
    """The messages that were sent so far."""
    places = {view.id: view.slot for view in views if view.slot is not None}
    counts: MessageCounts = Counter()
    for view in views:
        for other, kinds in view.lines.items():
            for kind, count in kinds.items():
                if kind in ROUTING and view.id in places and other in places:
                    counts[places[view.id], places[other], kind] += count
    return counts


def of_kind(steps: MessageCounts, kind: str) -> MessageCounts:
    """The messages of one kind."""
    return Counter({step: times for step, times in steps.items() if step[2] == kind})


def count(steps: MessageCounts, kind: str) -> int:
    """How many messages of a kind there were."""
    return of_kind(steps, kind).total()


def quiet(processes: Sequence[SuperPeerProcess]) -> MessageCounts:
    """Wait until routing sends nothing more; the messages that were sent by then."""
    last, since = sent_so_far(look(processes)), time.monotonic()
    deadline = since + _MOST_SECONDS
    while time.monotonic() - since < _QUIET_SECONDS:
        time.sleep(_LOOK_SECONDS)
        now = sent_so_far(look(processes))
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


def path(steps: MessageCounts, start: int) -> list[int]:
    """The places that messages went through, from a start, if they went along one path.

    >>> path(Counter({(7, 3, "notify"): 1, (3, 1, "notify"): 1}), 7)
    [7, 3, 1]
    """
    onward = {here: there for here, there, _ in steps}
    places = [start]
    while places[-1] in onward and len(places) <= len(onward):
        places.append(onward[places[-1]])
    return places
