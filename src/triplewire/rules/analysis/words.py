"""How the analysis names what it found."""

from __future__ import annotations

from collections.abc import Iterable

_SHOWN = 3


def listed(things: Iterable[object]) -> str:
    """The things by name; of many, the first few.

    >>> listed([])
    'nothing'
    >>> listed("abcde")
    'a, b, c and 2 more'
    """
    names = sorted(map(str, things))
    if not names:
        return "nothing"
    if len(names) > _SHOWN:
        return f"{', '.join(names[:_SHOWN])} and {len(names) - _SHOWN} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
