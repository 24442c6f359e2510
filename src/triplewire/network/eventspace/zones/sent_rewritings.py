"""Which rewritings have left this node: each needs to only once.

That spares work, and bounds how far the chains of one subscription multiply in one event. It is no promise: the oldest
events are forgotten, and after a restart all are; what is sent twice changes nothing where it arrives.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict

from triplewire.network.eventspace.messages import SentRewriting, SubscriptionKey

# How many are remembered, over all events.
MOST_REMEMBERED = 100_000


class SentRewritings:
    """By event, subscription and round of matching."""

    def __init__(self, most: int = MOST_REMEMBERED) -> None:
        self._most = most
        self._sent: OrderedDict[str, defaultdict[tuple[SubscriptionKey, str], set[SentRewriting]]] = OrderedDict()
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, event: str, key: SubscriptionKey, matching: str, rewriting: SentRewriting, most: int) -> int:
        """Remember one; its number among those of its subscription, or 0 if it was sent or `most` were before."""
        if event not in self._sent:
            self._sent[event] = defaultdict(set)
        already = self._sent[event][key, matching]
        if rewriting in already or len(already) > most:
            return 0
        already.add(rewriting)
        self._size += 1
        number = len(already)
        while self._size > self._most and len(self._sent) > 1:
            self.forget(next(iter(self._sent)))
        return number

    def forget(self, event: str) -> None:
        """Nothing more is sent of an event, most likely."""
        self._size -= sum(map(len, self._sent.pop(event, {}).values()))
