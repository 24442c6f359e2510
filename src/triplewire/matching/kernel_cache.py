"""Whether the kernels have to be compiled first, and a word about it: that takes half a minute of one core.

The word is a warning of the logger `triplewire.matching`, once a process. Python writes it to standard error where no
logging is set up; whoever does not want it raises the level of that logger.
"""

from __future__ import annotations

import logging
from typing import Any

from numba.core import event

from triplewire.matching.kernels.machine import is_kept, keeps
from triplewire.matching.kernels.search.search import search

# numba does not annotate it.
_register: Any = event.register
_log = logging.getLogger("triplewire.matching")

_ONCE = "compiling the matcher's kernels, once for this installation; it takes half a minute or more"
_EVERY_TIME = (
    "compiling the matcher's kernels, which takes half a minute or more, in every process anew: "
    "no folder to keep them in can be written; NUMBA_CACHE_DIR names one"
)


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
