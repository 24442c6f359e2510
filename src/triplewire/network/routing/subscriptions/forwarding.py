"""Forwarding of subscriptions: which are sent upstream, over which attachment (algorithm 1, section 3.3).

A subscription is sent in dimension d if it is one of our peers', or came in on a dimension below d, and what is
advertised in d covers it. It is held back where one that it implies was sent over that very attachment, as long as
whatever is advertised there for it also covers that one; when that one ends, what it held back is sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from triplewire.network.effects import Action, SendMessage
from triplewire.network.messages import Description, StandingQuery, Subscribe
from triplewire.network.routing.advertisements.index import AdvertisementIndex
from triplewire.network.routing.attachments import AttachmentTable, Upstream
from triplewire.network.routing.subscriptions.poset import Poset
from triplewire.network.routing.subscriptions.reasoner import Reasoner
from triplewire.network.routing.watermarks import Watermarks

# Where a subscription came from: a peer of ours by its name, or a super-peer and a dimension.
Origin = str | tuple[str, int]


_MOST_AT_ONCE = 500


class _Change(Struct):
    added: dict[str, StandingQuery] = field(default_factory=dict)
    removed: dict[str, None] = field(default_factory=dict)


class SubscriptionForwarding:
    """Decides what one super-peer sends upstream."""

    def __init__(
        self,
        attachments: AttachmentTable,
        poset: Poset[Origin],
        index: AdvertisementIndex[int],
        watermarks: Watermarks,
        reasoner: Reasoner,
    ) -> None:
        self._attachments = attachments
        self._poset = poset
        self._index = index
        self._watermarks = watermarks
        self._reasoner = reasoner

    def begin(self, up: Upstream) -> list[Action]:
        """Send all subscriptions of a new attachment, and recall what may have been missed."""
        change = _Change()
        for query in list(self._poset):
            self._consider(up, query, change)
        return _in_batches(up, change, self._watermarks.recall_all(up))

    def update(self, queries: Iterable[StandingQuery]) -> list[Action]:
        """Reconsider subscriptions that were added, removed, or have other origins."""
        queries = list(queries)
        actions: list[Action] = []
        for up in self._attachments.upstream.values():
            change = _Change()
            for query in queries:
                self._consider(up, query, change)
            actions += self._send_change(up, change)
        return actions

    def advertised(self, up: Upstream, new: Sequence[Description], gone: Sequence[Description]) -> list[Action]:
        """The index of a dimension has changed: a late advertisement, or one that ended."""
        change = _Change()
        if gone:
            for query in [*up.sent.values(), *map(self._poset.query, up.held)]:
                self._consider(up, query, change)
        late = [query for query in list(self._poset) if self._is_late(up, query, new)] if new else []
        for query in late:
            up.release(query.key)
            self._consider(up, query, change)
        return self._send_change(up, change, is_late=bool(late))

    # Private

    def _send_change(self, up: Upstream, change: _Change, *, is_late: bool = False) -> list[Action]:
        # Events under a late advertisement may have been published already.
        recall = self._watermarks.recall_all(up) if is_late else None
        if not (change.added or change.removed or recall is not None):
            return []
        return _in_batches(up, change, recall)

    def _is_late(self, up: Upstream, query: StandingQuery, new: Sequence[Description]) -> bool:
        if query.key in up.sent or not self._is_below(up, query.key):
            return False
        return any(self._reasoner.covers(description, query) for description in new)

    def _consider(self, up: Upstream, query: StandingQuery, change: _Change) -> None:
        """Send, hold back, or withdraw one subscription."""
        key = query.key
        if not up.is_open:
            return
        if not self._is_below(up, key) or not self._is_covered(up, query):
            self._withdraw(up, key, change)
        elif key not in up.sent and key not in up.held:
            self._send_or_hold(up, query, change)

    def _send_or_hold(self, up: Upstream, query: StandingQuery, change: _Change) -> None:
        coverer = self._coverer(up, query)
        if coverer is not None:
            up.hold(query.key, coverer)
            return
        up.sent[query.key] = query
        change.added[query.key] = query
        change.removed.pop(query.key, None)

    def _withdraw(self, up: Upstream, key: str, change: _Change) -> None:
        up.release(key)
        if up.sent.pop(key, None) is None:
            return
        if change.added.pop(key, None) is None:
            change.removed[key] = None
        for held in sorted(up.holds.get(key, ())):
            up.release(held)
            if held in self._poset:
                self._consider(up, self._poset.query(held), change)

    def _coverer(self, up: Upstream, query: StandingQuery) -> str | None:
        wider = [other for other in self._poset.wider(query) if other.key in up.sent and other.key != query.key]
        if not wider:
            return None
        needed = self._covering(up, query)
        for other in wider:
            if all(self._reasoner.covers(description, other) for description in needed):
                return other.key
        return None

    def _covering(self, up: Upstream, query: StandingQuery) -> list[Description]:
        known = self._index.describes(up.dimension)
        return [description for description in known.values() if self._reasoner.covers(description, query)]

    def _is_covered(self, up: Upstream, query: StandingQuery) -> bool:
        return bool(self._index.route(query, self._reasoner, [up.dimension]))

    def _is_below(self, up: Upstream, key: str) -> bool:
        """Whether a subscription has an origin from which it is sent in this dimension."""
        return any(isinstance(origin, str) or origin[1] < up.dimension for origin in self._poset.origins(key))


def _in_batches(up: Upstream, change: _Change, recall: dict[str, int] | None) -> list[Action]:
    """Messages of limited size. Additions come first, so that nothing is without a wider one in between."""
    added = list(change.added.values())
    first, last = added[:-_MOST_AT_ONCE], added[-_MOST_AT_ONCE:]
    batches = [tuple(first[start : start + _MOST_AT_ONCE]) for start in range(0, len(first), _MOST_AT_ONCE)]
    actions: list[Action] = [SendMessage(up.other, Subscribe(up.dimension, batch)) for batch in batches]
    return [*actions, SendMessage(up.other, Subscribe(up.dimension, tuple(last), tuple(change.removed), recall))]
