"""The garbage collector, which holds everything up while it looks at what there is.

It looks at all of it whenever there is a quarter more than before. With a hundred thousand views that takes a second or
two, and again and again, although what is registered lasts. What it has been told to pass over costs nothing; it is
freed all the same when nobody refers to it any more.
"""

from __future__ import annotations

import gc

_SELDOM = 200


def pass_over_what_lasts() -> None:
    """Collect what is garbage, and never look again at what is left. Takes as long as it has not been looked at."""
    gc.collect()
    gc.freeze()


def look_at_all_seldom() -> None:
    """Look at all that there is not with each tenth look at what is newer, but with each two-hundredth.

    A node under load looked at all of it every three seconds, a tenth of a second long, and found some fifty objects.
    """
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, _SELDOM)


class Growth:
    """Counts what is registered to last, and has it passed over now and then."""

    def __init__(self, every: int) -> None:
        self._every = every
        self._fresh = 0

    def note(self) -> bool:
        """One more; whether that was the time."""
        self._fresh += 1
        if self._fresh < self._every:
            return False
        self._fresh = 0
        pass_over_what_lasts()
        return True
