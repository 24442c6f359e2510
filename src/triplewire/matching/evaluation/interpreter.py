"""Few subscriptions, few events, and no kernels compiled yet: evaluate in plain Python.

Compiling takes half a minute of one core, an evaluation of one subscription on one event some microseconds. So where
the kernels are not at hand, a matcher evaluates its subscriptions one by one, by the same exact path that decides what
kernels leave open, until it has done so as often as takes a few seconds.
"""

from __future__ import annotations

from triplewire.algebra.subscriptions import Subscription
from triplewire.matching.kernel_cache import is_warm
from triplewire.matching.segments.live_index import Engine

EVALUATIONS = 200_000


class Interpreter:
    """How many evaluations are left. None are from the moment that a subscription is indexed."""

    def __init__(self, evaluations: int | None) -> None:
        self._left = _affordable() if evaluations is None else evaluations

    def taken_from(self, engine: Engine) -> tuple[Subscription, ...] | None:
        """The subscriptions to evaluate on one event, which is all of them; nothing if kernels are to do it."""
        if not self._left:
            return None
        drafted = engine.drafted
        if drafted is None or len(drafted) > self._left:
            self._left = 0
            return None
        self._left -= len(drafted)
        return drafted


def _affordable() -> int:
    return 0 if is_warm() else EVALUATIONS
