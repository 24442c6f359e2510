"""How large a regular expression becomes when it is compiled, judged from its text.

Oxigraph's engine is linear, but has a limit on the compiled size, beyond which a match is silently an error. So a
pattern that may come near it is refused when subscribing. The costs are per character or class, rounded up from what
that engine was seen to take, and counted repetitions multiply what they repeat.
"""

from __future__ import annotations

import re

_PIECE = re.compile(
    r"(?P<open>\((?:\?[^:)]*:?)?)|(?P<close>\))"
    r"|(?P<count>\{(?P<least>[0-9]+)(?:,(?P<most>[0-9]*))?\}\??)"
    r"|(?P<class>\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]?)"
    r"|(?P<escape>\\(?:[pP](?:\{[^}]*\}|.)|[\s\S]?))"
    r"|(?P<any>\.)|(?P<operator>[*+?|^$])|(?P<character>[\s\S])"
)
_CLASS_ESCAPE = re.compile(r"\\(?:[pP]|[\s\S])")
_CHARACTER, _CHARACTER_CLASS, _ANY_CHARACTER = 6, 60, 40
_ESCAPES = {
    "d": 200,
    "D": 200,
    "s": 40,
    "S": 60,
    "w": 1_700,
    "W": 1_700,
    "p": 1_700,
    "P": 1_700,
    "b": 1_700,
    "B": 1_700,
}
_HUGE = 1_000_000_000
_NESTING = 200


def cost(pattern: str) -> int:
    """The estimated compiled size; a pattern that is no regular expression has some size too.

    >>> cost("abc"), cost("a{100}"), cost("(a{1000}){1000}")
    (18, 600, 6000000)
    """
    totals = [0]
    last = 0
    for piece in _PIECE.finditer(pattern):
        kind = piece.lastgroup
        if kind == "open":
            if len(totals) > _NESTING:
                return _HUGE
            totals.append(0)
            last = 0
        elif kind == "close":
            last = totals.pop() if len(totals) > 1 else 0
            totals[-1] += last
        elif kind == "count":
            repeated = last * max(_times(piece) - 1, 0)
            totals[-1] = min(totals[-1] + repeated, _HUGE)
            last = min(last + repeated, _HUGE)
        elif kind != "operator":
            last = _atom(piece)
            totals[-1] += last
    return sum(totals)


def _times(piece: re.Match[str]) -> int:
    numbers = (piece["least"], piece["most"] or "0")
    return max(_HUGE if len(number) > 9 else int(number) for number in numbers)


def _atom(piece: re.Match[str]) -> int:
    if piece["any"]:
        return _ANY_CHARACTER
    if piece["class"]:
        return _CHARACTER_CLASS + sum(_escape(found) for found in _CLASS_ESCAPE.findall(piece["class"]))
    if piece["escape"]:
        return _escape(piece["escape"])
    return _CHARACTER


def _escape(escape: str) -> int:
    return _ESCAPES.get(escape[1:2], _CHARACTER)
