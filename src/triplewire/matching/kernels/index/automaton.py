"""Aho-Corasick: all texts that occur in a string, in one pass over its bytes.

States are numbered from the root, 0. Edges lie in one hash table keyed by state and byte, because a dense table costs
a kilobyte a state. `fails` is the longest proper suffix that is also a state, `outputs` the text that ends at a state,
and `next_outputs` the nearest suffix at which another text ends.
"""

from __future__ import annotations

import numpy as np

from triplewire.matching.kernels.bytetable import ByteTable, slot_count
from triplewire.matching.kernels.layout import NOBODY
from triplewire.matching.kernels.machine import Table, fold, fused, kernel, lean
from triplewire.matching.kernels.structures import Automaton, Words

_ROOT = 0
_GOLDEN = -0x61C8864680B583EB


def automaton_of(texts: ByteTable, wanted: Words) -> Automaton:
    """Build the automaton over the wanted texts, by their ids; none of them may be empty."""
    lengths = texts.offsets[wanted + 1] - texts.offsets[wanted] if wanted.size else np.zeros(0, np.int64)
    most = int(lengths.sum()) + 1
    parents = np.zeros(most, np.int32)
    automaton = Automaton(
        slots=np.zeros(slot_count(most), np.int32),
        edge_keys=np.zeros(most, np.int64),
        edge_targets=np.zeros(most, np.int32),
        fails=np.zeros(most, np.int32),
        outputs=np.full(most, NOBODY, np.int32),
        next_outputs=np.zeros(most, np.int32),
    )
    states = _grow(automaton, texts, wanted, parents)
    _link(automaton, parents, states, np.argsort(_depths(parents, states), kind="stable"))
    return Automaton(
        automaton.slots,
        automaton.edge_keys[:states].copy(),
        automaton.edge_targets[:states].copy(),
        automaton.fails[:states].copy(),
        automaton.outputs[:states].copy(),
        automaton.next_outputs[:states].copy(),
    )


@fused
def _edge_slot(automaton: Automaton, key: int) -> int:
    """The slot of an edge, or the free slot where it belongs."""
    mask = automaton.slots.size - 1
    at = fold(key, _GOLDEN) & mask
    while automaton.slots[at] != 0 and automaton.edge_keys[automaton.slots[at] - 1] != key:
        at = (at + 1) & mask
    return int(at)


@fused
def _child(automaton: Automaton, state: int, byte: int) -> int:
    edge = automaton.slots[_edge_slot(automaton, (int(state) << 8) | int(byte))]
    return int(automaton.edge_targets[edge - 1]) if edge else NOBODY


@fused
def step(automaton: Automaton, state: int, byte: int) -> int:
    """The state after one more byte."""
    while True:
        child = _child(automaton, state, byte)
        if child != NOBODY:
            return child
        if state == _ROOT:
            return _ROOT
        state = int(automaton.fails[state])


@fused
def first_output(automaton: Automaton, state: int) -> int:
    """The longest suffix of a state at which a text ends, or the root if there is none."""
    return state if automaton.outputs[state] >= 0 else int(automaton.next_outputs[state])


@lean
def _grow(automaton: Automaton, texts: ByteTable, wanted: Words, parents: Words) -> int:
    """Make a state for every prefix. An edge's place in the table is its target's number less one."""
    states = 1
    for text in wanted:
        state = _ROOT
        for place in range(texts.offsets[text], texts.offsets[text + 1]):
            key = (int(state) << 8) | int(texts.arena[place])
            at = _edge_slot(automaton, key)
            if automaton.slots[at] == 0:
                automaton.slots[at] = states
                automaton.edge_keys[states - 1] = key
                automaton.edge_targets[states - 1] = states
                parents[states] = state
                states += 1
            state = int(automaton.edge_targets[automaton.slots[at] - 1])
        automaton.outputs[state] = text
    return states


@kernel
def _depths(parents: Words, states: int) -> Words:
    depths = np.zeros(states, np.int32)
    for state in range(1, states):
        depths[state] = depths[parents[state]] + 1
    return depths


@lean
def _link(automaton: Automaton, parents: Words, states: int, by_depth: Table) -> None:
    """Find each state's longest proper suffix, shallow states first."""
    for state in by_depth:
        if state == _ROOT:
            continue
        parent, byte = parents[state], automaton.edge_keys[state - 1] & 255
        if parent != _ROOT:
            automaton.fails[state] = step(automaton, int(automaton.fails[parent]), byte)
        automaton.next_outputs[state] = first_output(automaton, int(automaton.fails[state]))
