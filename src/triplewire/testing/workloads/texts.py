"""The workload `substrings`: nothing but CONTAINS."""

from __future__ import annotations

from collections.abc import Iterator

from triplewire.testing.workloads.workload import EX, Row, Workload, chunks, stream

_WORDS_IN_A_TITLE = 8
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_LENGTH = 6
# Prime to 26, so that neighbouring numbers get words that look nothing alike, and no two the same.
_SCATTER = 179_424_673
_TITLE = EX["title"]


def substrings(subscriptions: int, events: int, seed: int = 0, matches_per_event: float = 1.0) -> Workload:
    """A title of 8 words an event; a subscription wants one word in it.

    >>> print(next(substrings(1, 1).rows()).text)
    SELECT ?s WHERE { ?s <http://example.org/title> ?t FILTER(CONTAINS(?t, "wlaoki")) }
    """
    words = max(1, round(subscriptions * _WORDS_IN_A_TITLE / matches_per_event))
    return Workload("substrings", lambda: _rows(subscriptions, seed, words), lambda: _payloads(events, seed, words))


def word(number: int) -> str:
    """Six letters for a number; words have one length, so that none is part of another.

    >>> word(0), word(1)
    ('aaaaaa', 'zcnqcp')
    """
    rest, letters = number * _SCATTER % 26**_LENGTH, []
    for _ in range(_LENGTH):
        rest, letter = divmod(rest, 26)
        letters.append(_LETTERS[letter])
    return "".join(letters)


def _rows(total: int, seed: int, words: int) -> Iterator[Row]:
    random = stream(seed, "substrings subscriptions")
    for numbers in chunks(total):
        for i, wanted in zip(numbers, random.integers(0, words, len(numbers)).tolist(), strict=True):
            text = f'SELECT ?s WHERE {{ ?s {_TITLE} ?t FILTER(CONTAINS(?t, "{word(wanted)}")) }}'
            yield Row(f"s{i}", "sparql", text)


def _payloads(total: int, seed: int, words: int) -> Iterator[bytes]:
    random = stream(seed, "substrings events")
    for numbers in chunks(total):
        titles = random.integers(0, words, (len(numbers), _WORDS_IN_A_TITLE)).tolist()
        for i, title in zip(numbers, titles, strict=True):
            text = " ".join(map(word, title))
            yield f'{EX[f"item/{i}"]} {_TITLE} "{text}" {EX[f"event/{i}"]} .\n'.encode()
