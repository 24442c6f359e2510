"""From entries to an index: sort them, and say where each anchor's groups and each group's entries begin."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from triplewire.matching.kernels import layout
from triplewire.matching.kernels.bytetable import slot_count
from triplewire.matching.kernels.index.anchor_choice import IndexEntries
from triplewire.matching.kernels.index.anchor_keys import KEY_BITS, key_slot
from triplewire.matching.kernels.index.intervals import STACK, fill_tops
from triplewire.matching.kernels.machine import Table, lean
from triplewire.matching.kernels.structures import AnchorIndex, Flags, Words

_KEY, _GUARD, _PREDICATE, _OBJECT, _PROGRAM = range(5)
_MASK = (1 << KEY_BITS) - 1


def index_of(entries: IndexEntries, constants: int) -> AnchorIndex:
    """Build the index over entries, for a segment with so many constants."""
    order = np.lexsort(
        (
            entries.words[:, _PROGRAM],
            entries.bounds[:, 0],
            entries.words[:, _OBJECT],
            entries.words[:, _GUARD],
            entries.words[:, _PREDICATE],
            entries.words[:, _KEY],
        )
    )
    words, bounds = entries.words[order], entries.bounds[order]
    anchors = _starts(words[:, [_KEY]])
    groups = _starts(words[:, [_KEY, _PREDICATE, _GUARD]])
    guards = words[groups, _GUARD].astype(np.uint8)
    keys = np.ascontiguousarray(words[anchors, _KEY])
    slots = np.zeros(slot_count(keys.size), np.int32)
    fill_keys(slots, keys)
    entry_starts = np.append(groups, len(words)).astype(np.int64)
    by_value, by_object = words[:, _GUARD] >= layout.HAS_VALUE, words[:, _GUARD] == layout.HAS_OBJECT
    lows, highs = np.ascontiguousarray(bounds[by_value, 0]), np.ascontiguousarray(bounds[by_value, 1])
    index = AnchorIndex(
        uses=_uses(keys, constants),
        slots=slots,
        keys=keys,
        group_starts=np.append(np.searchsorted(groups, anchors), groups.size).astype(np.int32),
        group_guards=guards,
        group_predicates=words[groups, _PREDICATE].astype(np.int32),
        entry_starts=entry_starts,
        value_starts=_value_starts(by_value, by_object, guards, groups),
        entries=words[:, _PROGRAM].astype(np.int32),
        objects=words[by_object, _OBJECT].astype(np.int32),
        lows=lows,
        highs=highs,
        tops=np.empty_like(highs),
    )
    _fill_all_tops(index, np.empty(STACK, np.int64))
    return index


def _starts(rows: Table) -> Table:
    """Where a row differs from the one before it."""
    if len(rows) == 0:
        return np.zeros(0, np.int64)
    changes = np.any(rows[1:] != rows[:-1], axis=1)
    return np.concatenate(([0], np.flatnonzero(changes) + 1)).astype(np.int64)


def _value_starts(by_value: NDArray[np.bool_], by_object: NDArray[np.bool_], guards: Flags, groups: Table) -> Table:
    """For each group, how many entries of its own guard lie before it."""
    before_values = np.concatenate(([0], np.cumsum(by_value)))[groups]
    before_objects = np.concatenate(([0], np.cumsum(by_object)))[groups]
    return np.where(guards >= layout.HAS_VALUE, before_values, before_objects).astype(np.int64)


def _uses(keys: Table, constants: int) -> Flags:
    """A bit for each tag that a constant takes part in, at either place of the key."""
    uses = np.zeros(constants, np.uint8)
    tags = keys >> (2 * KEY_BITS)
    firsts, seconds = (keys >> KEY_BITS) & _MASK, keys & _MASK
    for tag in (layout.PREDICATE_OBJECT, layout.SUBJECT_PREDICATE, layout.SUBJECT, layout.OBJECT, layout.PREDICATE):
        uses[firsts[tags == tag]] |= 1 << tag
    for tag in (layout.PREDICATE_OBJECT, layout.SUBJECT_PREDICATE):
        uses[seconds[tags == tag]] |= 1 << tag
    uses[firsts[tags == layout.CLASS_MEMBER]] |= 1 << layout.CLASS_MEMBER
    return uses


@lean
def fill_keys(slots: Words, keys: Table) -> None:
    """Enter different keys into an open-addressed table."""
    mask = slots.size - 1
    for entry in range(keys.size):
        at = key_slot(keys[entry], mask)
        while slots[at] != 0:
            at = (at + 1) & mask
        slots[at] = entry + 1


@lean
def _fill_all_tops(index: AnchorIndex, stack: Table) -> None:
    for group in range(index.group_guards.size):
        if index.group_guards[group] >= layout.HAS_VALUE:
            start = index.value_starts[group]
            end = start + index.entry_starts[group + 1] - index.entry_starts[group]
            fill_tops(index.highs, index.tops, start, end, stack)


def anchored_texts(index: AnchorIndex) -> Words:
    """The ids of the texts that are anchors: those that the automaton has to look for."""
    found = index.keys[index.keys >> (2 * KEY_BITS) == layout.SUBSTRING]
    texts: Words = ((found >> KEY_BITS) & _MASK).astype(np.int32)
    return texts
