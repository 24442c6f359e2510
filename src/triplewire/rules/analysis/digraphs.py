"""Components, reachability and cycles of a directed graph whose edges are sets of numbers.

Nothing here looks at single edges: a thousand rules may have a million of them, but a row of them is one integer.
"""

from __future__ import annotations

from collections.abc import Sequence

from triplewire.rules.analysis.bits import least, members, union

Rows = Sequence[int]
"""For each vertex, the set of vertices that an edge leads to."""


def components(forward: Rows, backward: Rows) -> list[int]:
    """The strongly connected components, each before those that it leads to (Kosaraju)."""
    left = (1 << len(forward)) - 1
    found = []
    for vertex in reversed(_postorder(forward)):
        if left >> vertex & 1:
            component = _within(backward, 1 << vertex, left)
            left &= ~component
            found.append(component)
    return found


def reachable(forward: Rows, topological: Sequence[int]) -> list[int]:
    """For each vertex, those that a way of at least one edge leads to."""
    reached = [0] * len(forward)
    home = [0] * len(forward)
    for component in reversed(topological):
        found = union(forward[vertex] for vertex in members(component))
        left = found & ~component
        while left:
            beyond = home[least(left)] | reached[least(left)]
            found |= beyond
            left &= ~beyond
        for vertex in members(component):
            home[vertex], reached[vertex] = component, found
    return reached


def shortest_cycle(forward: Rows, component: int) -> list[int]:
    """A shortest way from the component's least vertex back to it; empty if there is none.

    >>> shortest_cycle([0b010, 0b101, 0b000], 0b011)
    [0, 1, 0]
    """
    start = least(component)
    layers = [1 << start]
    seen = 0
    while layers[-1]:
        following = union(forward[vertex] for vertex in members(layers[-1])) & component & ~seen
        if following >> start & 1:
            return _traced(forward, layers, start)
        seen |= following
        layers.append(following)
    return []


def _traced(forward: Rows, layers: list[int], start: int) -> list[int]:
    way = [start]
    for layer in reversed(layers):
        way.append(next(vertex for vertex in members(layer) if forward[vertex] >> way[-1] & 1))
    return way[::-1]


def _postorder(forward: Rows) -> list[int]:
    left = (1 << len(forward)) - 1
    order: list[int] = []
    stack: list[int] = []
    while left or stack:
        if not stack:
            stack.append(least(left))
            left &= left - 1
        following = forward[stack[-1]] & left
        if following:
            vertex = least(following)
            left &= ~(1 << vertex)
            stack.append(vertex)
        else:
            order.append(stack.pop())
    return order


def _within(rows: Rows, start: int, allowed: int) -> int:
    found = frontier = start
    while frontier:
        frontier = union(rows[vertex] for vertex in members(frontier)) & allowed & ~found
        found |= frontier
    return found
