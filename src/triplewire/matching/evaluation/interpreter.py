"""Few subscriptions, few events, and no kernels compiled yet: evaluate in plain Python.

Compiling takes half a minute of one core, an evaluation of one subscription on one event some microseconds. So where
the kernels are not at hand, a matcher evaluates its subscriptions one by one, by the same exact path that decides what
kernels leave open, until it has done so as often as takes a few seconds.

When kernels are compiled after all, a warning of the logger `triplewire.matching` says so, once a process. Python
writes it to standard error where no logging is set up; whoever does not want it raises the level of that logger.
"""

from __future__ import annotations

import logging
from typing import Any

from numba.core import event

from triplewire.algebra.subscriptions import Subscription
from triplewire.matching.kernels.machine import is_kept, keeps
from triplewire.matching.kernels.search.search import search
from triplewire.matching.segments.live_index import LiveIndex

# numba does not annotate it.
_register: Any = event.register
_log = logging.getLogger("triplewire.matching")

EVALUATIONS = 200_000

_ONCE = "compiling the matcher's kernels, once for this installation; it takes half a minute or more"
_EVERY_TIME = (
    "compiling the matcher's kernels, which takes half a minute or more, in every process anew: "
    "no folder to keep them in can be written; NUMBA_CACHE_DIR names one"
)


class Interpreter:
    """How many evaluations are left. None are from the moment that a subscription is indexed."""

    def __init__(self, evaluations: int | None) -> None:
        self._left = _affordable() if evaluations is None else evaluations

    def taken_from(self, index: LiveIndex) -> tuple[Subscription, ...] | None:
        """The subscriptions to evaluate on one event, which is all of them; nothing if kernels are to do it."""
        if not self._left:
            return None
        drafted = index.drafted
        if drafted is None or len(drafted) > self._left:
            self._left = 0
            return None
        self._left -= len(drafted)
        return drafted


def _affordable() -> int:
    return 0 if is_warm() else EVALUATIONS


def is_warm() -> bool:
    """Whether the kernels have been compiled, in this process or in one before it."""
    return bool(getattr(search, "overloads", None)) or is_kept(search)


class _Announcement(event.Listener):
    """Speaks when the first of our kernels is compiled. What is loaded from disk is not."""

    def __init__(self) -> None:
        self._made = False

    def on_start(self, event: Any) -> None:
        if not self._made and event.data["dispatcher"].py_func.__module__.startswith("triplewire."):
            self._made = True
            if not is_warm():
                _log.warning(_ONCE if keeps(search) else _EVERY_TIME)

    def on_end(self, event: Any) -> None:
        """Nothing to say."""


_register("numba:compile", _Announcement())
