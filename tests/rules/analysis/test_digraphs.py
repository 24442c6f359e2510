"""Components, reachability and cycles, against walking every way."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from triplewire.rules.analysis.bits import members
from triplewire.rules.analysis.digraphs import components, reachable, shortest_cycle


@st.composite
def graphs(draw) -> list[int]:
    size = draw(st.integers(1, 8))
    return draw(st.lists(st.integers(0, (1 << size) - 1), min_size=size, max_size=size))


def turned(rows: list[int]) -> list[int]:
    return [sum(1 << a for a, row in enumerate(rows) if row >> b & 1) for b in range(len(rows))]


def naive_reach(rows: list[int], start: int) -> set[int]:
    found: set[int] = set()
    waiting = list(members(rows[start]))
    while waiting:
        vertex = waiting.pop()
        if vertex not in found:
            found.add(vertex)
            waiting.extend(members(rows[vertex]))
    return found


@given(graphs())
def test_reachability_is_what_walking_finds(rows):
    found = reachable(rows, components(rows, turned(rows)))
    assert [set(members(row)) for row in found] == [naive_reach(rows, start) for start in range(len(rows))]


@given(graphs())
def test_components_are_what_reaches_each_other_and_come_in_order(rows):
    found = components(rows, turned(rows))
    reach = [naive_reach(rows, start) for start in range(len(rows))]
    for component in found:
        for one in members(component):
            assert set(members(component)) - {one} == {o for o in reach[one] if one in reach[o]} - {one}
    place = {vertex: number for number, component in enumerate(found) for vertex in members(component)}
    assert all(place[a] <= place[b] for a in range(len(rows)) for b in reach[a])
    assert sorted(place) == list(range(len(rows)))


@given(graphs())
def test_a_cycle_is_shown_wherever_there_is_one(rows):
    for component in components(rows, turned(rows)):
        cycle = shortest_cycle(rows, component)
        least = min(members(component))
        assert bool(cycle) == (least in naive_reach(rows, least))
        assert all(rows[a] >> b & 1 for a, b in pairwise(cycle))
        assert not cycle or (cycle[0] == cycle[-1] and len(set(cycle)) == len(cycle) - 1)
