"""Names of super-peers and peers are long digests. In what people read, the beginning that tells them apart will do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_NAME = re.compile(r"\b(?:sp|tw)-[a-z2-7]{32}(?![a-z2-7])")
_PREFIX, _LEAST = 3, 5


class ShortNames:
    """Shortens every name in a text, after it has seen all texts.

    >>> short = ShortNames(["sp-mzuhvlpymk6xo3epygfy5h4oeaejofef.7 at tw-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"])
    >>> short("sp-mzuhvlpymk6xo3epygfy5h4oeaejofef.7")
    'sp-mzuhv.7'
    >>> short.legend[0]
    'sp-mzuhv is sp-mzuhvlpymk6xo3epygfy5h4oeaejofef'
    """

    def __init__(self, texts: Iterable[str]) -> None:
        # In the order in which they are met.
        names = list(dict.fromkeys(name for text in texts for name in _NAME.findall(text)))
        length = _length(names)
        self._short = {name: name[: _PREFIX + length] for name in names}

    def __call__(self, text: str) -> str:
        return _NAME.sub(lambda found: self._short.get(found[0], found[0]), text)

    @property
    def legend(self) -> list[str]:
        """A line for each name that was cut."""
        return list(self._lines())

    def _lines(self) -> Iterator[str]:
        for name, short in self._short.items():
            yield f"{short} is {name}"


def _length(names: list[str]) -> int:
    """The fewest letters that tell all of them apart."""
    length = _LEAST
    while len({name[: _PREFIX + length] for name in names}) < len(names):
        length += 1
    return length
