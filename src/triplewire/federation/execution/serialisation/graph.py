"""The serialisation graph of optimistic concurrency control (section 3.2), as AMOR has it.

Nothing waits for a lock. Where two transactions meet at a peer and do not commute, the peer's super-peer notes which
came first, and tells those who coordinate the two. They share what they know with all who coordinate something in the
same part of the graph, so the subgraphs of a part are merged and replicated as they grow together. A cycle is seen by
all of them; the youngest in it that is not sealed aborts, and its own super-peer does that. What a peer had committed
before its super-peer heard of it is sealed: nothing can undo it, and whoever shares a part of the graph is told.

A node is not always a whole transaction: a subtransaction that may commit or abort on its own is a node of its own.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TypeVar

from msgspec import Struct

from triplewire.federation.execution.serialisation.parts import Parts
from triplewire.federation.execution.units import age, super_peer_of

Edge = tuple[str, str]
_Key = TypeVar("_Key")


class Untold(Struct, frozen=True):
    """What somebody has to be told: edges, and which of the nodes in their part are sealed."""

    edges: tuple[Edge, ...] = ()
    sealed: tuple[str, ...] = ()


class Verdict(Struct, frozen=True):
    """Who has to abort, and cycles in which nobody can."""

    victims: tuple[str, ...] = ()
    unbreakable: tuple[tuple[str, ...], ...] = ()


class SerialisationGraph:
    """What one super-peer knows of the graph."""

    def __init__(self, me: str) -> None:
        self._me = me
        self._after: dict[str, dict[str, None]] = {}
        self._before: dict[str, dict[str, None]] = {}
        self._told: dict[str, set[Edge]] = {}
        self._sealed: dict[str, float] = {}
        self._told_sealed: dict[str, set[str]] = {}
        self._unbreakable: dict[frozenset[str], float] = {}
        self._parts = Parts()
        self._owed: dict[str, tuple[dict[Edge, None], dict[str, None]]] = {}
        self._withdrawn: dict[str, float] = {}
        self._added: dict[Edge, float] = {}

    @property
    def edges(self) -> tuple[Edge, ...]:
        return tuple(self._added)

    def is_sealed(self, node: str) -> bool:
        """Whether nothing can undo it, as far as anybody has said."""
        return node in self._sealed

    def seal(self, now: float, nodes: Iterable[str], told_by: str | None = None) -> tuple[Edge, ...]:
        """Nothing can undo these; returns the edges around those of which that is news. Others hear of it by `add`."""
        around: dict[Edge, None] = {}
        for node in nodes:
            if told_by is not None:
                self._told_sealed.setdefault(told_by, set()).add(node)
            if node not in self._sealed:
                self._sealed[node] = now
                around.update(dict.fromkeys(self._around(node)))
                for other in self._parts.coordinators(node):
                    self._owe(other, (), (node,))
        return tuple(around)

    def add(self, now: float, edges: Iterable[Edge], told_by: str | None = None) -> dict[str, Untold]:
        """Take edges; returns what others have to be told: those who coordinate something in the same part."""
        for edge in edges:
            if told_by is not None:
                self._told.setdefault(told_by, set()).add(edge)
            if edge not in self._added and not self._withdrawn.keys() & edge and edge[0] != edge[1]:
                self._added[edge] = now
                self._connect(edge)
        owed, self._owed = self._owed, {}
        found = ((other, self._untold(other, edges, sealed)) for other, (edges, sealed) in sorted(owed.items()))
        return {other: untold for other, untold in found if untold.edges or untold.sealed}

    def judge(self, now: float, around: Iterable[Edge]) -> Verdict:
        """Of each cycle that goes through one of these edges, the youngest that is not sealed: it has to abort."""
        victims: dict[str, None] = {}
        unbreakable: dict[tuple[str, ...], None] = {}
        for first, second in around:
            while first not in victims and second not in victims and (cycle := self._way(second, first, victims)):
                loose = [node for node in cycle if node not in self._sealed]
                # The way that was found may be one of several.
                loose = loose or [node for node in self._between(second, first, victims) if node not in self._sealed]
                if not loose:
                    if frozenset(cycle) not in self._unbreakable:
                        self._unbreakable[frozenset(cycle)] = now
                        unbreakable[tuple(cycle)] = None
                    break
                victims[max(loose, key=age)] = None
        return Verdict(tuple(victims), tuple(unbreakable))

    def withdraw(self, now: float, group: str) -> set[str]:
        """Something has aborted: nothing has to be ordered with it. Returns who has to be told."""
        if group in self._withdrawn:
            return set()
        self._withdrawn[group] = now
        told = {*self._parts.coordinators(group), super_peer_of(group)}
        for edge in self._around(group):
            self._drop(edge)
        return told - {self._me}

    def may_forget(self, before: float) -> bool:
        """Whether something is as old as that."""
        oldest = (next(iter(times.values()), before) for times in (self._added, self._withdrawn, self._unbreakable))
        return any(at < before for at in oldest) or self._may_forget_sealed(before)

    def forget(self, before: float) -> None:
        """Forget what is as old as that."""
        # Everything was noted in the order of time, so the oldest comes first.
        while self._added and (oldest := next(iter(self._added.items())))[1] < before:
            self._drop(oldest[0])
        self._forget_sealed(before)
        _forget_old(self._withdrawn, before)
        _forget_old(self._unbreakable, before)

    def _forget_sealed(self, before: float) -> None:
        while self._may_forget_sealed(before):
            node = next(iter(self._sealed))
            del self._sealed[node]
            for told in self._told_sealed.values():
                told.discard(node)

    # Private

    def _connect(self, edge: Edge) -> None:
        self._after.setdefault(edge[0], {})[edge[1]] = None
        self._before.setdefault(edge[1], {})[edge[0]] = None
        for other, nodes in self._parts.connect(*edge):
            known = ((node, after) for node in nodes for after in self._after.get(node, ()))
            self._owe(other, known, (node for node in nodes if node in self._sealed))
        for other in self._parts.coordinators(edge[0]):
            self._owe(other, (edge,), ())

    def _owe(self, other: str, edges: Iterable[Edge], sealed: Iterable[str]) -> None:
        if other != self._me:
            owed = self._owed.setdefault(other, ({}, {}))
            owed[0].update(dict.fromkeys(edges))
            owed[1].update(dict.fromkeys(sealed))

    def _untold(self, other: str, edges: Iterable[Edge], sealed: Iterable[str]) -> Untold:
        told, told_sealed = self._told.setdefault(other, set()), self._told_sealed.setdefault(other, set())
        untold = Untold(
            tuple(edge for edge in edges if edge not in told),
            tuple(node for node in sealed if node not in told_sealed and super_peer_of(node) != other),
        )
        told.update(untold.edges)
        told_sealed.update(untold.sealed)
        return untold

    def _may_forget_sealed(self, before: float) -> bool:
        node, at = next(iter(self._sealed.items()), ("", before))
        return at < before and node not in self._after and node not in self._before

    def _drop(self, edge: Edge) -> None:
        del self._added[edge]
        for told in self._told.values():
            told.discard(edge)
        for index, node, other in ((self._after, edge[0], edge[1]), (self._before, edge[1], edge[0])):
            del index[node][other]
            if not index[node]:
                del index[node]
        for node in edge:
            if node not in self._after and node not in self._before:
                self._parts.leave(node)

    def _around(self, node: str) -> list[Edge]:
        after = [(node, other) for other in self._after.get(node, ())]
        return [*after, *((other, node) for other in self._before.get(node, ()))]

    def _between(self, start: str, end: str, without: Container[str]) -> list[str]:
        """The nodes on ways from one node to another."""
        ahead = _reached(self._after, start, without)
        return [node for node in _reached(self._before, end, without) if node in ahead]

    def _way(self, start: str, end: str, without: Container[str]) -> list[str]:
        """The nodes of a way from one node to another; empty: there is none."""
        came_from: dict[str, str | None] = {start: None}
        waiting = [start]
        while waiting:
            node = waiting.pop()
            if node == end:
                return _back(came_from, end)
            for other in sorted(self._after.get(node, ())):
                if other not in came_from and other not in without:
                    came_from[other] = node
                    waiting.append(other)
        return []


def _reached(arcs: dict[str, dict[str, None]], start: str, without: Container[str]) -> dict[str, None]:
    found = {start: None}
    waiting = [start]
    while waiting:
        for other in arcs.get(waiting.pop(), ()):
            if other not in found and other not in without:
                found[other] = None
                waiting.append(other)
    return found


def _forget_old(times: dict[_Key, float], before: float) -> None:
    while times and (oldest := next(iter(times.items())))[1] < before:
        del times[oldest[0]]


def _back(came_from: dict[str, str | None], end: str) -> list[str]:
    way = [end]
    while (before := came_from[way[-1]]) is not None:
        way.append(before)
    return way
