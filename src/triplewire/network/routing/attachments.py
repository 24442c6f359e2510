"""Attachments: what two neighbours owe each other in one dimension.

The one that has chosen (`Upstream`, seen from below) sends subscriptions up; the chosen one (`Downstream`, seen from
above) sends advertisements, events and tides down.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from triplewire.network.messages import Publication, Standing

# So many events are remembered as sent, for each attachment; a repeat beyond them is dropped where it arrives.
_MOST_SEEN = 8_192


class Upstream(Struct):
    """An attachment to the one that we have chosen in a dimension.

    `held` are subscriptions that were not sent, each with the one that was sent and covers it. `recalls` counts what
    was recalled, `recalled` is what is to be recalled next, and `doubtful` are origins whose recall was not answered,
    each with the number of that recall.
    """

    other: str
    dimension: int
    is_known: bool = False
    sent: dict[str, Standing] = field(default_factory=dict)
    held: dict[str, str] = field(default_factory=dict)
    holds: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    recalls: int = 0
    recalled: dict[str, int] | None = None
    doubtful: dict[str, int] = field(default_factory=dict)

    def recall(self, origin: str, position: int) -> None:
        """Have something recalled. It counts from now on: a tide that was sent before does not know of it."""
        if self.recalled is None:
            self.recalled = {}
            self.recalls += 1
        self.recalled[origin] = min(self.recalled.get(origin, position), position)
        self.doubtful[origin] = self.recalls

    def take_recall(self) -> dict[str, int]:
        """What is to be recalled, which is being said now."""
        if self.recalled is None:
            self.recalls += 1
        wanted, self.recalled = self.recalled or {}, None
        return wanted

    def answered(self, recalls: int) -> None:
        """So many recalls are answered."""
        self.doubtful = {origin: number for origin, number in self.doubtful.items() if number > recalls}

    def hold(self, key: str, coverer: str) -> None:
        self.held[key] = coverer
        self.holds[coverer].add(key)

    def release(self, key: str) -> None:
        coverer = self.held.pop(key, None)
        if coverer is not None:
            self.holds[coverer].discard(key)
            if not self.holds[coverer]:
                del self.holds[coverer]


class Downstream(Struct):
    """An attachment of somebody that has chosen us in a dimension.

    `told` is how far it was told that it has heard everything. `replaying` is where a replay of our own log has come
    to, None when it has caught up: what is published meanwhile comes with the replay, so that the order is kept.
    `unsure` are origins that have come to stand above it and that it has to recall first, and `doubts` counts for how
    many beats; `unmet` is what it has recalled of origins that do not stand above it here, since it sees another cube.
    """

    other: str
    dimension: int
    table: dict[str, Standing] = field(default_factory=dict)
    offered: set[str] = field(default_factory=set)
    told: dict[str, int] = field(default_factory=dict)
    is_told: bool = False
    unsure: set[str] = field(default_factory=set)
    unmet: dict[str, int] = field(default_factory=dict)
    doubts: int = 0
    recalls: int = 0
    replaying: int | None = None
    ticket: int = 0
    seen: dict[tuple[str, int], None] = field(default_factory=dict)

    @property
    def origin(self) -> tuple[str, int]:
        return self.other, self.dimension

    def forget(self, recall: Mapping[str, int]) -> None:
        """Send again what is recalled: somebody further below may lack what the one below has got."""
        self.seen = {name: None for name in self.seen if name[1] <= recall.get(name[0], name[1])}

    def meet(self, risen: Sequence[str]) -> dict[str, int]:
        """Origins have come to stand above: what it has recalled of them already; of the others it is unsure."""
        met = {origin: self.unmet.pop(origin) for origin in risen if origin in self.unmet}
        self.unsure.update(origin for origin in risen if origin not in met)
        return met

    def is_new(self, publication: Publication) -> bool:
        """Whether an event was not sent over this attachment yet; from now on it was."""
        name = (publication.origin, publication.position)
        if name in self.seen:
            return False
        self.seen[name] = None
        if len(self.seen) > _MOST_SEEN:
            del self.seen[next(iter(self.seen))]
        return True
