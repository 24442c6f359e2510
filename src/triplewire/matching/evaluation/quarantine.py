"""Who exceeded the budget too often, and why: those subscriptions are evaluated no more, the others go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from triplewire.matching.kernels.machine import Table
from triplewire.matching.segments.segment import Segment
from triplewire.rdf.terms import NamedNode

_NOBODY: Table = np.zeros(0, np.int64)


class Quarantine:
    """Reasons by subscription, after `tries` failures.

    What a segment has to leave out is worked out once, and again when somebody is added or released.
    """

    def __init__(self, tries: int) -> None:
        self._tries = tries
        self._failures: Counter[str] = Counter()
        self._reasons: dict[str, str] = {}
        self._numbers: dict[int, tuple[Segment, Table]] = {}

    @property
    def reasons(self) -> Mapping[str, str]:
        """Why each of them is here."""
        return MappingProxyType(self._reasons)

    def failed(self, subscription_id: str, event: NamedNode, error: Exception) -> None:
        """Count a failure; the last that is allowed is one too many."""
        self._failures[subscription_id] += 1
        if self._failures[subscription_id] >= self._tries:
            self._reasons[subscription_id] = f"{error} (on event <{event.value}>)"
            self._numbers = {}

    def release(self, subscription_id: str) -> None:
        """Forget a subscription and its failures."""
        self._failures.pop(subscription_id, None)
        if self._reasons.pop(subscription_id, None) is not None:
            self._numbers = {}

    def numbers_in(self, segment: Segment) -> Table:
        """Which of a segment's subscriptions are here. Programs that serve only them are stopped."""
        if not self._reasons:
            return _NOBODY
        held = self._numbers.get(id(segment))
        if held is None or held[0] is not segment:
            held = segment, self._looked_up(segment)
            self._numbers[id(segment)] = held
        return held[1]

    def _looked_up(self, segment: Segment) -> Table:
        found = [number for name in tuple(self._reasons) if (number := segment.number_of(name)) is not None]
        segment.stop_for(found)
        return np.array(found, np.int64)
