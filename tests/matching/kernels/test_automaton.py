"""Aho-Corasick against `in`."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from triplewire.matching.kernels.bytetable import arena_of, table_of
from triplewire.matching.kernels.index.automaton import automaton_of, first_output, step
from triplewire.matching.kernels.machine import Bytes, lean
from triplewire.matching.kernels.structures import Automaton, Flags


@lean
def mark(automaton: Automaton, text: Bytes, found: Flags) -> None:
    """Mark every text that ends somewhere in another one."""
    state = 0
    for place in range(text.size):
        state = step(automaton, state, text[place])
        output = first_output(automaton, state)
        while output > 0:
            found[automaton.outputs[output]] = 1
            output = automaton.next_outputs[output]


few_letters = st.text("ab\u00e9", min_size=1, max_size=6)


@settings(max_examples=300)
@given(st.lists(few_letters, unique=True, max_size=12), st.text("ab\u00e9", max_size=30), st.data())
@example(["he", "she", "his", "hers"], "ushers", None)
@example(["a", "aa", "aaa", "ba"], "aabaaab", None)
def test_finds_every_text_that_occurs(texts: list[str], within: str, data) -> None:
    table = table_of(*arena_of([text.encode() for text in texts]), 0)
    wanted = np.arange(len(texts), dtype=np.int32)
    if data is not None and texts:
        chosen = data.draw(st.sets(st.integers(0, len(texts) - 1)))
        wanted = np.array(sorted(chosen), np.int32)
    found = np.zeros(len(texts), np.uint8)
    mark(automaton_of(table, wanted), np.frombuffer(within.encode(), np.uint8), found)
    assert [texts[n] for n in np.flatnonzero(found)] == [texts[n] for n in wanted if texts[n] in within]
