"""A 64-bit hash of a term's bytes, and equality of two spans.

The hash takes sixteen bytes a step: one word is blinded with the seed, the other with the state, and the two are
multiplied to 128 bits whose halves are folded. Nobody who does not know the seed can aim at a word that multiplies by
zero. A table keyed by these hashes still has to compare bytes on a hit: see `same_bytes`.
"""

from __future__ import annotations

import numpy as np

from triplewire.matching.kernels.machine import Bytes, byte_at, fold, inner, kernel, word_at

# Odd words with evenly mixed bits: the fractional parts of the golden ratio, of the square root of 2 and of 3.
_GOLDEN = -0x61C8864680B583EB
_ROOT_2 = 0x6A09E667F3BCC909
_ROOT_3 = -0x4498517A7B3558C5
_HALF = 1 << 63


@inner
def short_word(buffer: Bytes, start: int, end: int) -> int:
    """Up to seven bytes as one word."""
    word = 0
    for index in range(start, end):
        word = (word << 8) | byte_at(buffer, index)
    return word


@kernel
def hash_span(buffer: Bytes, start: int, end: int, seed: int) -> int:
    """The hash of `buffer[start:end]`, as a signed word. Reads nothing outside the span."""
    secret = fold(seed ^ _ROOT_2, _GOLDEN)
    state = secret ^ (end - start)
    place = start
    while place + 16 <= end:
        state = fold(word_at(buffer, place) ^ secret, word_at(buffer, place + 8) ^ state)
        place += 16
    if place + 8 <= end:
        state = fold(word_at(buffer, place) ^ secret, word_at(buffer, end - 8) ^ state)
    elif place < end:
        tail = word_at(buffer, end - 8) if end - start >= 8 else short_word(buffer, start, end)
        state = fold(tail ^ secret, state ^ _ROOT_3)
    return fold(state ^ _ROOT_2, secret ^ _GOLDEN)


@kernel
def same_bytes(buffer: Bytes, start: int, other: Bytes, other_start: int, length: int) -> bool:
    """Whether two spans of one length hold the same bytes."""
    place = 0
    while place + 8 <= length:
        if word_at(buffer, start + place) != word_at(other, other_start + place):
            return False
        place += 8
    while place < length:
        if byte_at(buffer, start + place) != byte_at(other, other_start + place):
            return False
        place += 1
    return True


def word(seed: int) -> int:
    """Any integer as the signed word that kernels take for a seed."""
    return (seed + _HALF) % (2 * _HALF) - _HALF


def hash_term(term: bytes, seed: int) -> int:
    """The hash of one term's canonical bytes, as it stands in the scanner's tables."""
    return int(hash_span(np.frombuffer(term, np.uint8), 0, len(term), word(seed)))
