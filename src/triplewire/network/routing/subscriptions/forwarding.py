"""Forwarding: which subscriptions are sent up, over which attachment (algorithm 1, section 3.3).

A subscription goes up in dimension d if it is one of our peers', or came in on a dimension below d, and what is
advertised in d covers it. It is held back where one that it implies was sent over that very attachment, as long as
whatever is advertised there for it also covers that one; when that one ends, what it held back is sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from triplewire.network.effects import Deed, Say
from triplewire.network.messages import Description, Standing, Subscribe
from triplewire.network.routing.advertisements.indices import Indices
from triplewire.network.routing.attachment_table import Ways
from triplewire.network.routing.attachments import Upstream
from triplewire.network.routing.subscriptions.poset import Poset
from triplewire.network.routing.subscriptions.reasoner import Reasoner
from triplewire.network.routing.watermarks import Tides

# Where a subscription came from: a peer of ours by its name, or a super-peer and a dimension.
Origin = str | tuple[str, int]


_MOST_AT_ONCE = 500


class _Change(Struct):
    added: dict[str, Standing] = field(default_factory=dict)
    removed: dict[str, None] = field(default_factory=dict)


class Forwarding:
    """What one super-peer has sent up."""

    def __init__(self, ways: Ways, poset: Poset[Origin], index: Indices[int], tides: Tides, reasoner: Reasoner) -> None:
        self._ways = ways
        self._poset = poset
        self._index = index
        self._tides = tides
        self._reasoner = reasoner

    def begin(self, up: Upstream) -> list[Deed]:
        """Send everything that belongs over a fresh attachment, and recall what may have been missed."""
        change = _Change()
        for standing in list(self._poset):
            self._consider(up, standing, change)
        return _in_pieces(up, change, self._tides.recall_all(up))

    def update(self, standings: Iterable[Standing]) -> list[Deed]:
        """Look at subscriptions again that began, ended, or have other origins."""
        standings = list(standings)
        deeds: list[Deed] = []
        for up in self._ways.up.values():
            change = _Change()
            for standing in standings:
                self._consider(up, standing, change)
            deeds += self._say(up, change)
        return deeds

    def advertised(self, up: Upstream, new: Sequence[Description], gone: Sequence[Description]) -> list[Deed]:
        """The index of a dimension has changed: a late advertisement, or one that ended."""
        change = _Change()
        if gone:
            for standing in [*up.sent.values(), *map(self._poset.standing, up.held)]:
                self._consider(up, standing, change)
        late = [standing for standing in list(self._poset) if self._is_late(up, standing, new)] if new else []
        for standing in late:
            up.release(standing.key)
            self._consider(up, standing, change)
        return self._say(up, change, is_late=bool(late))

    # Private

    def _say(self, up: Upstream, change: _Change, *, is_late: bool = False) -> list[Deed]:
        # What a late advertisement speaks of may have been published already.
        recall = self._tides.recall_all(up) if is_late else None
        if not (change.added or change.removed or recall is not None):
            return []
        return _in_pieces(up, change, recall)

    def _is_late(self, up: Upstream, standing: Standing, new: Sequence[Description]) -> bool:
        if standing.key in up.sent or not self._is_below(up, standing.key):
            return False
        return any(self._reasoner.covers(description, standing) for description in new)

    def _consider(self, up: Upstream, standing: Standing, change: _Change) -> None:
        """Send, hold back, or withdraw one subscription."""
        key = standing.key
        if not up.is_known:
            return
        if not self._is_below(up, key) or not self._is_covered(up, standing):
            self._withdraw(up, key, change)
        elif key not in up.sent and key not in up.held:
            self._send(up, standing, change)

    def _send(self, up: Upstream, standing: Standing, change: _Change) -> None:
        coverer = self._coverer(up, standing)
        if coverer is not None:
            up.hold(standing.key, coverer)
            return
        up.sent[standing.key] = standing
        change.added[standing.key] = standing
        change.removed.pop(standing.key, None)

    def _withdraw(self, up: Upstream, key: str, change: _Change) -> None:
        up.release(key)
        if up.sent.pop(key, None) is None:
            return
        if change.added.pop(key, None) is None:
            change.removed[key] = None
        for held in sorted(up.holds.get(key, ())):
            up.release(held)
            if held in self._poset:
                self._consider(up, self._poset.standing(held), change)

    def _coverer(self, up: Upstream, standing: Standing) -> str | None:
        wider = [other for other in self._poset.wider(standing) if other.key in up.sent and other.key != standing.key]
        if not wider:
            return None
        needed = self._covering(up, standing)
        for other in wider:
            if all(self._reasoner.covers(description, other) for description in needed):
                return other.key
        return None

    def _covering(self, up: Upstream, standing: Standing) -> list[Description]:
        known = self._index.describes(up.dimension)
        return [description for description in known.values() if self._reasoner.covers(description, standing)]

    def _is_covered(self, up: Upstream, standing: Standing) -> bool:
        return bool(self._index.route(standing, self._reasoner, [up.dimension]))

    def _is_below(self, up: Upstream, key: str) -> bool:
        """Whether a subscription has an origin from which it goes up in this dimension."""
        return any(isinstance(origin, str) or origin[1] < up.dimension for origin in self._poset.origins(key))


def _in_pieces(up: Upstream, change: _Change, recall: dict[str, int] | None) -> list[Deed]:
    """Not too much in one message. What begins comes first, so that nothing is without a wider one in between."""
    added = list(change.added.values())
    first, last = added[:-_MOST_AT_ONCE], added[-_MOST_AT_ONCE:]
    pieces = [tuple(first[start : start + _MOST_AT_ONCE]) for start in range(0, len(first), _MOST_AT_ONCE)]
    deeds: list[Deed] = [Say(up.other, Subscribe(up.dimension, piece)) for piece in pieces]
    return [*deeds, Say(up.other, Subscribe(up.dimension, tuple(last), tuple(change.removed), recall))]
