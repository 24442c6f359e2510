"""Byte strings to small integers, in flat arrays: open addressing, linear probing.

The table never trusts a hash: what is found is compared byte by byte, so a crafted collision costs time and never an
answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from triplewire.matching.kernels.hashing import hash_span, same_bytes
from triplewire.matching.kernels.layout import NOBODY
from triplewire.matching.kernels.machine import Bytes, Table, fused, kernel, lean

Slots = NDArray[np.int32]


class ByteTable(NamedTuple):
    """Entry `i` is `arena[offsets[i]:offsets[i + 1]]`; `slots` holds ids plus one, zero where free."""

    slots: Slots
    hashes: Table
    offsets: Table
    arena: Bytes


@fused
def find_entry(table: ByteTable, buffer: Bytes, start: int, end: int, key: int) -> int:
    """The id of `buffer[start:end]`, whose hash is `key`, or NOBODY."""
    mask = table.slots.size - 1
    at = key & mask
    while table.slots[at] != 0:
        found = table.slots[at] - 1
        if table.hashes[found] == key and _is(table, found, buffer, start, end):
            return int(found)
        at = (at + 1) & mask
    return NOBODY


@lean
def find(table: ByteTable, buffer: Bytes, start: int, end: int, key: int) -> int:
    """The same, for callers outside the kernels."""
    return find_entry(table, buffer, start, end, key)


@fused
def _is(table: ByteTable, entry: int, buffer: Bytes, start: int, end: int) -> bool:
    begin = table.offsets[entry]
    length = end - start
    return table.offsets[entry + 1] - begin == length and same_bytes(table.arena, begin, buffer, start, length)


@kernel
def hash_entries(arena: Bytes, offsets: Table, seed: int) -> Table:
    """The hash of each entry of an arena."""
    hashes = np.empty(offsets.size - 1, np.int64)
    for entry in range(hashes.size):
        hashes[entry] = hash_span(arena, offsets[entry], offsets[entry + 1], seed)
    return hashes


@lean
def _fill(slots: Slots, hashes: Table) -> None:
    mask = slots.size - 1
    for entry in range(hashes.size):
        at = hashes[entry] & mask
        while slots[at] != 0:
            at = (at + 1) & mask
        slots[at] = entry + 1


@lean
def number_distinct(arena: Bytes, offsets: Table, hashes: Table, slots: Slots, numbers: Slots, firsts: Table) -> int:
    """Number entries so that equal ones share a number; `firsts[number]` is the first such entry. Gives the count."""
    mask = slots.size - 1
    count = 0
    for entry in range(hashes.size):
        start, end = offsets[entry], offsets[entry + 1]
        at = hashes[entry] & mask
        while slots[at] != 0:
            other = firsts[slots[at] - 1]
            begin, length = offsets[other], end - start
            alike = hashes[other] == hashes[entry] and offsets[other + 1] - begin == length
            if alike and same_bytes(arena, begin, arena, start, length):
                break
            at = (at + 1) & mask
        if slots[at] == 0:
            firsts[count] = entry
            count += 1
            slots[at] = count
        numbers[entry] = slots[at] - 1
    return count


def slot_count(entries: int) -> int:
    """The power of two that keeps a table at most half full."""
    return 1 << max(3, (2 * entries).bit_length())


def table_of(arena: Bytes, offsets: Table, seed: int) -> ByteTable:
    """Build the table over entries that are known to be different."""
    hashes = hash_entries(arena, offsets, seed)
    slots = np.zeros(slot_count(hashes.size), np.int32)
    _fill(slots, hashes)
    return ByteTable(slots, hashes, offsets, arena)


def arena_of(strings: Sequence[bytes]) -> tuple[Bytes, Table]:
    """Byte strings laid end to end, and where each starts and the last ends."""
    offsets = np.zeros(len(strings) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, strings), np.int64, len(strings)), out=offsets[1:])
    return np.frombuffer(bytearray(b"".join(strings)), np.uint8), offsets
