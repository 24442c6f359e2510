"""Which algorithm publishes an event: quadruples alone (CSMA) or the whole event (OSMA)."""

from __future__ import annotations

from enum import StrEnum

# What `auto` sends at most of one event over all its owners together. Chosen, not measured.
MOST_SENT_WHOLE = 64 << 10


class PublicationStrategy(StrEnum):
    """`auto` decides for each event by its size. Subscriptions are the same for all, so strategies may be mixed."""

    CSMA = "csma"
    OSMA = "osma"
    AUTO = "auto"

    def for_event(self, quads: int, size: int) -> PublicationStrategy:
        """CSMA or OSMA, for an event of so many quadruples and bytes."""
        if self is not PublicationStrategy.AUTO:
            return self
        return PublicationStrategy.OSMA if quads * size <= MOST_SENT_WHOLE else PublicationStrategy.CSMA
