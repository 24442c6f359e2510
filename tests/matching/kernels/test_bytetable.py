"""The byte table against a dictionary."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from triplewire.matching.kernels.bytetable import (
    arena_of,
    find,
    hash_entries,
    number_distinct,
    slot_count,
    table_of,
)
from triplewire.matching.kernels.hashing import hash_term
from triplewire.matching.kernels.layout import NOBODY

keys = st.lists(st.binary(max_size=20), max_size=40)


def looked_up(table, key: bytes, seed: int) -> int:
    buffer = np.frombuffer(key + b"\n" * 8, np.uint8)
    return find(table, buffer, 0, len(key), hash_term(key, seed))


@settings(max_examples=200)
@given(keys, keys, st.integers(0, 2**63 - 1))
def test_finds_what_is_in_it_and_nothing_else(entered: list[bytes], others: list[bytes], seed: int) -> None:
    numbers = {key: number for number, key in enumerate(dict.fromkeys(entered))}
    table = table_of(*arena_of(list(numbers)), seed)
    for key in (*entered, *others):
        assert looked_up(table, key, seed) == numbers.get(key, NOBODY)


@settings(max_examples=200)
@given(keys)
def test_numbers_equal_entries_alike(entered: list[bytes]) -> None:
    arena, offsets = arena_of(entered)
    hashes = hash_entries(arena, offsets, 0)
    numbers, firsts = np.empty(len(entered), np.int32), np.empty(len(entered), np.int64)
    slots = np.zeros(slot_count(len(entered)), np.int32)
    count = number_distinct(arena, offsets, hashes, slots, numbers, firsts)
    order = {key: number for number, key in enumerate(dict.fromkeys(entered))}
    assert numbers.tolist() == [order[key] for key in entered]
    assert [entered[first] for first in firsts[:count]] == list(order)


def test_equal_hashes_do_not_make_equal_keys() -> None:
    """A crafted collision costs time and never an answer."""
    table = table_of(*arena_of([b"one", b"two", b"six"]), 0)
    table.hashes[:] = 7
    table.slots[:] = 0
    table.slots[7:] = [1]
    table.slots[:2] = [2, 3]
    buffer = np.frombuffer(b"six" + b"\n" * 8, np.uint8)
    assert find(table, buffer, 0, 3, 7) == 2
    assert find(table, np.frombuffer(b"ten" + b"\n" * 8, np.uint8), 0, 3, 7) == NOBODY


def test_an_arena_gives_its_entries_back() -> None:
    strings = [b"", b"a", b"", b"bcd"]
    arena, offsets = arena_of(strings)
    assert [arena[start:end].tobytes() for start, end in pairwise(offsets)] == strings
