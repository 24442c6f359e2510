"""Attachments: the state that two neighbours share in one dimension.

A super-peer attaches to the neighbour that it has chosen in a dimension (`Upstream`) and sends it subscriptions; the
chosen one (`Downstream` is its side) sends advertisements, events and watermarks back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from triplewire.network.hypercube.members import Members
from triplewire.network.messages import Publication, StandingQuery

# Events that are remembered as sent, for each attachment; a repeat beyond them is dropped where it arrives.
_MOST_SEEN = 8_192


class Upstream(Struct):
    """The attachment to the neighbour that we have chosen in a dimension.

    `held` are subscriptions that were not sent, each with the one that was sent and covers it. `recalls` counts the
    recalls that were sent, `recalled` is the next one, and `unanswered` are origins whose recall was not answered, each
    with the number of that recall.
    """

    other: str
    dimension: int
    is_open: bool = False
    sent: dict[str, StandingQuery] = field(default_factory=dict)
    held: dict[str, str] = field(default_factory=dict)
    holds: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    recalls: int = 0
    recalled: dict[str, int] | None = None
    unanswered: dict[str, int] = field(default_factory=dict)

    def recall(self, origin: str, position: int) -> None:
        """Add an origin to the next recall. It counts from now on: watermarks that were sent before ignore it."""
        if self.recalled is None:
            self.recalled = {}
            self.recalls += 1
        self.recalled[origin] = min(self.recalled.get(origin, position), position)
        self.unanswered[origin] = self.recalls

    def take_recall(self) -> dict[str, int]:
        """The recall that is being sent now."""
        if self.recalled is None:
            self.recalls += 1
        wanted, self.recalled = self.recalled or {}, None
        return wanted

    def answered(self, recalls: int) -> None:
        """The first so many recalls are answered."""
        self.unanswered = {origin: number for origin, number in self.unanswered.items() if number > recalls}

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
    """The attachment of a neighbour that has chosen us in a dimension.

    `announced` are the watermarks that were sent. `replayed_to` is the position that a replay of our own log has
    reached, None when it has caught up: what is published meanwhile comes with the replay, so that the order is kept.
    `awaiting_recall` are origins that moved above this downstream, which has to recall them first; `beats_waiting`
    counts the heartbeats since. `early_recalls` are recalls of origins that are not above it here, since it sees
    another cube.
    """

    other: str
    dimension: int
    queries: dict[str, StandingQuery] = field(default_factory=dict)
    advertised: set[str] = field(default_factory=set)
    announced: dict[str, int] = field(default_factory=dict)
    is_announced: bool = False
    awaiting_recall: set[str] = field(default_factory=set)
    early_recalls: dict[str, int] = field(default_factory=dict)
    beats_waiting: int = 0
    recalls: int = 0
    replayed_to: int | None = None
    ticket: int = 0
    seen: dict[tuple[str, int], None] = field(default_factory=dict)

    @property
    def origin(self) -> tuple[str, int]:
        return self.other, self.dimension

    def forget(self, recall: Mapping[str, int]) -> None:
        """Forget that recalled events were sent: a super-peer further down may lack what this one has got."""
        self.seen = {name: None for name in self.seen if name[1] <= recall.get(name[0], name[1])}

    def take_early_recalls(self, origins: Sequence[str]) -> dict[str, int]:
        """Origins have moved above: returns their early recalls; the others await one."""
        early = {origin: self.early_recalls.pop(origin) for origin in origins if origin in self.early_recalls}
        self.awaiting_recall.update(origin for origin in origins if origin not in early)
        return early

    def is_new(self, publication: Publication) -> bool:
        """Whether an event was not sent over this attachment yet; it is marked as sent."""
        name = (publication.origin, publication.position)
        if name in self.seen:
            return False
        self.seen[name] = None
        if len(self.seen) > _MOST_SEEN:
            del self.seen[next(iter(self.seen))]
        return True


class AttachmentTable:
    """The attachments, shared by the parts of a router."""

    def __init__(self, me: str, members: Members) -> None:
        self.me = me
        self.members = members
        self.upstream: dict[int, Upstream] = {}
        self.downstream: dict[tuple[str, int], Downstream] = {}
        self.dimension_of: dict[str, int] = {}

    def update_dimensions(self) -> dict[str, int]:
        """Compute the dimension of every member; returns the previous ones."""
        before = self.dimension_of
        place = self.members.place_of.get(self.me)
        if place is None:
            self.dimension_of = {}
        else:
            others = enumerate(self.members.places)
            # The trailing zeros of the difference: Cube.dimension, for a thousand members at once.
            self.dimension_of = {
                other: ((place ^ there) & -(place ^ there)).bit_length() - 1
                for there, other in others
                if there != place
            }
        return before

    def chosen(self) -> dict[int, str]:
        """The neighbours that we have chosen, by dimension."""
        place = self.members.place_of.get(self.me)
        if place is None:
            return {}
        return {
            dimension: self.members.places[there] for dimension, there in enumerate(self.members.cube.neighbours(place))
        }

    def behind(self, dimension: int) -> Iterable[str]:
        """The origins in a dimension."""
        return (origin for origin, where in self.dimension_of.items() if where == dimension)

    def downstreams(self) -> list[Downstream]:
        return list(self.downstream.values())
