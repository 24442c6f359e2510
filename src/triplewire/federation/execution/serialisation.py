"""The serialisation graph of optimistic concurrency control (section 3.2), as AMOR has it.

Nothing waits for a lock. Where two transactions meet at a peer and do not commute, the peer's super-peer notes which
came first, and tells those who coordinate the two. They share what they know with all who coordinate something in the
same part of the graph, so the subgraphs of a part are merged and replicated as they grow together. A cycle is seen by
all of them; the youngest in it aborts, and its own super-peer does that.

A node is not always a whole transaction: a subtransaction that may commit or abort on its own is a node of its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from triplewire.federation.execution.units import age, super_peer_of

Edge = tuple[str, str]


class SerialisationGraph:
    """What one super-peer knows of the graph."""

    def __init__(self, me: str) -> None:
        self._me = me
        self._after: dict[str, set[str]] = {}
        self._before: dict[str, set[str]] = {}
        self._told: dict[str, set[Edge]] = {}
        self._withdrawn: dict[str, float] = {}
        self._added: dict[Edge, float] = {}

    @property
    def edges(self) -> tuple[Edge, ...]:
        return tuple(self._added)

    def add(self, now: float, edges: Iterable[Edge], told_by: str | None = None) -> dict[str, tuple[Edge, ...]]:
        """Take edges; returns what others have to be told: those who coordinate something in the same part."""
        new = []
        for edge in edges:
            if told_by is not None:
                self._told.setdefault(told_by, set()).add(edge)
            if edge not in self._added and not self._withdrawn.keys() & edge and edge[0] != edge[1]:
                self._added[edge] = now
                self._after.setdefault(edge[0], set()).add(edge[1])
                self._before.setdefault(edge[1], set()).add(edge[0])
                new.append(edge)
        return self._to_tell(new)

    def victims(self, around: Iterable[Edge]) -> list[str]:
        """Of each cycle that goes through one of these edges, the youngest: it has to abort."""
        found: dict[str, None] = {}
        for first, second in around:
            cycle = self._way(second, first)
            if cycle:
                found[max(cycle, key=age)] = None
        return list(found)

    def withdraw(self, now: float, group: str) -> set[str]:
        """Something has aborted: nothing has to be ordered with it. Returns who has to be told."""
        if group in self._withdrawn:
            return set()
        self._withdrawn[group] = now
        told = {super_peer_of(node) for node in self._part([group])} | {super_peer_of(group)}
        for edge in [edge for edge in self._added if group in edge]:
            self._drop(edge)
        return told - {self._me}

    def may_forget(self, before: float) -> bool:
        """Whether something is as old as that."""
        return any(at < before for times in (self._added, self._withdrawn) for at in times.values())

    def forget(self, before: float) -> None:
        """Forget what is as old as that."""
        for edge in [edge for edge, added in self._added.items() if added < before]:
            self._drop(edge)
            for told in self._told.values():
                told.discard(edge)
        self._withdrawn = {group: at for group, at in self._withdrawn.items() if at >= before}

    def _drop(self, edge: Edge) -> None:
        del self._added[edge]
        self._after[edge[0]].discard(edge[1])
        self._before[edge[1]].discard(edge[0])

    def _to_tell(self, new: list[Edge]) -> dict[str, tuple[Edge, ...]]:
        if not new:
            return {}
        part = self._part([node for edge in new for node in edge])
        edges = [edge for edge in self._added if edge[0] in part]
        found = {}
        for other in sorted({super_peer_of(node) for node in part} - {self._me}):
            told = self._told.setdefault(other, set())
            untold = tuple(edge for edge in edges if edge not in told)
            told.update(untold)
            if untold:
                found[other] = untold
        return found

    def _part(self, nodes: Iterable[str]) -> set[str]:
        """Everything that is connected with these."""
        found = set(nodes)
        waiting = list(found)
        while waiting:
            node = waiting.pop()
            for other in (*self._after.get(node, ()), *self._before.get(node, ())):
                if other not in found:
                    found.add(other)
                    waiting.append(other)
        return found

    def _way(self, start: str, end: str) -> list[str]:
        """The nodes of a way from one node to another; empty: there is none."""
        came_from: dict[str, str | None] = {start: None}
        waiting = [start]
        while waiting:
            node = waiting.pop()
            if node == end:
                return _back(came_from, end)
            for other in sorted(self._after.get(node, ())):
                if other not in came_from:
                    came_from[other] = node
                    waiting.append(other)
        return []


def _back(came_from: dict[str, str | None], end: str) -> list[str]:
    way = [end]
    while (before := came_from[way[-1]]) is not None:
        way.append(before)
    return way
