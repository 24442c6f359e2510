"""The parts of a graph that grows: what is connected, and which super-peers coordinate something in it.

A part is never taken apart while it has nodes. Where an edge was in the middle of it, somebody may be told more than
has to be, and nobody less.
"""

from __future__ import annotations

from collections.abc import Iterator

from triplewire.federation.execution.units import super_peer_of


class _Part:
    """Nodes that are connected, and how many of them each super-peer coordinates."""

    def __init__(self, node: str) -> None:
        self.nodes = {node: None}
        self.coordinators = {super_peer_of(node): 1}


class Parts:
    """The parts of a graph, by node."""

    def __init__(self) -> None:
        self._parts: dict[str, _Part] = {}

    def coordinators(self, node: str) -> tuple[str, ...]:
        """Who coordinates something in the part of a node."""
        part = self._parts.get(node)
        return () if part is None else tuple(sorted(part.coordinators))

    def connect(self, one: str, other: str) -> Iterator[tuple[str, list[str]]]:
        """Two nodes are connected: says to whom which nodes are new, as their parts have become one."""
        part, more = self._of(one), self._of(other)
        if part is more:
            return
        for here, there in ((part, more), (more, part)):
            nodes = list(there.nodes)
            yield from ((name, nodes) for name in sorted(here.coordinators.keys() - there.coordinators.keys()))
        self._merge(*((part, more) if len(part.nodes) >= len(more.nodes) else (more, part)))

    def leave(self, node: str) -> None:
        """A node is connected with nothing any more."""
        part = self._parts.pop(node)
        del part.nodes[node]
        name = super_peer_of(node)
        part.coordinators[name] -= 1
        if not part.coordinators[name]:
            del part.coordinators[name]

    def _of(self, node: str) -> _Part:
        if node not in self._parts:
            self._parts[node] = _Part(node)
        return self._parts[node]

    def _merge(self, larger: _Part, smaller: _Part) -> None:
        for node in smaller.nodes:
            larger.nodes[node] = None
            self._parts[node] = larger
        for name, nodes in smaller.coordinators.items():
            larger.coordinators[name] = larger.coordinators.get(name, 0) + nodes
