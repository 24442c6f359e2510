"""A hierarchy: nodes with any number of parents, and no way to climb from a node back to itself.

Everything here walks with an explicit queue, because a hierarchy from outside may be a hundred thousand levels deep.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping

from triplewire.errors import TaxonomyCycle
from triplewire.rdf.terms import BlankNode, NamedNode

Resource = NamedNode | BlankNode
Edge = tuple[Resource, Resource]
Links = Mapping[NamedNode, frozenset[NamedNode]]

_NONE: frozenset[NamedNode] = frozenset()
_REMEMBERED_NODES = 1_000_000


class Memo:
    """Sets of nodes by node, forgotten all at once when they have grown too large together."""

    __slots__ = ("_known", "_size")

    def __init__(self) -> None:
        self._known: dict[NamedNode, frozenset[NamedNode]] = {}
        self._size = 0

    def get(self, node: NamedNode) -> frozenset[NamedNode] | None:
        return self._known.get(node)

    def keep(self, node: NamedNode, nodes: frozenset[NamedNode]) -> frozenset[NamedNode]:
        # Most nodes of most events are strangers here, and that is found out quickly again.
        if not nodes:
            return nodes
        if self._size > _REMEMBERED_NODES:
            self._known.clear()
            self._size = 0
        self._known[node] = nodes
        self._size += len(nodes) + 1
        return nodes


class Hierarchy:
    """Parents and children by node; only named nodes, since nobody outside can mean an anonymous one."""

    __slots__ = ("_above", "_anonymous", "children", "parents")

    def __init__(self, parents: Links, anonymous: Mapping[BlankNode, frozenset[NamedNode]] | None = None) -> None:
        self.parents = parents
        self.children = _reversed(parents)
        self._anonymous = anonymous or {}
        self._above = Memo()

    @classmethod
    def of(cls, edges: Iterable[Edge]) -> Hierarchy:
        """Build from (child, parent) pairs.

        A node that is its own parent says nothing (RDFS: every class is a subclass of itself) and is left out; any
        longer cycle is an error. Anonymous nodes are seen through: their named ancestors become parents.
        """
        parents = _gathered(edge for edge in edges if edge[0] != edge[1])
        above = _seen_through(parents, _top_down(parents))
        named = {node: nodes for node, nodes in above.items() if isinstance(node, NamedNode) and nodes}
        return cls(named, {node: nodes for node, nodes in above.items() if isinstance(node, BlankNode)})

    def named(self, node: Resource) -> frozenset[NamedNode]:
        """The node itself or, where it is anonymous, the nearest named nodes above it."""
        return frozenset({node}) if isinstance(node, NamedNode) else self._anonymous.get(node, _NONE)

    def above(self, node: NamedNode) -> frozenset[NamedNode]:
        """Every strict ancestor."""
        if node not in self.parents:
            return _NONE
        known = self._above.get(node)
        return self._above.keep(node, _reachable(self.parents, node)) if known is None else known

    def below(self, node: NamedNode) -> frozenset[NamedNode]:
        """Every strict descendant."""
        return _reachable(self.children, node)

    def path(self, low: NamedNode, high: NamedNode) -> tuple[NamedNode, ...] | None:
        """A shortest way up, both ends included; the same on every run. None if there is none."""
        came_from: dict[NamedNode, NamedNode] = {}
        queue = deque([low])
        while queue and high != low and high not in came_from:
            node = queue.popleft()
            for parent in sorted(self.parents.get(node, _NONE), key=str):
                if parent not in came_from:
                    came_from[parent] = node
                    queue.append(parent)
        if high != low and high not in came_from:
            return None
        way = [high]
        while way[-1] != low:
            way.append(came_from[way[-1]])
        return tuple(reversed(way))

    @property
    def edges(self) -> Iterable[tuple[NamedNode, NamedNode]]:
        return ((child, parent) for child, parents in self.parents.items() for parent in parents)


def _gathered(edges: Iterable[Edge]) -> dict[Resource, set[Resource]]:
    parents: dict[Resource, set[Resource]] = defaultdict(set)
    for child, parent in edges:
        parents[child].add(parent)
    return dict(parents)


def _top_down(parents: Mapping[Resource, set[Resource]]) -> list[Resource]:
    """The nodes in an order in which parents come before their children."""
    missing = {node: len(above) for node, above in parents.items()}
    children: dict[Resource, list[Resource]] = defaultdict(list)
    for child, above in parents.items():
        for parent in above:
            children[parent].append(child)
    order = [node for node in children if node not in missing]
    for node in order:  # the list grows while we read it
        for child in children.get(node, ()):
            missing[child] -= 1
            if not missing[child]:
                order.append(child)
    if any(missing.values()):
        raise TaxonomyCycle(_a_cycle(parents, {node for node, count in missing.items() if count}))
    return order


def _a_cycle(parents: Mapping[Resource, set[Resource]], left: set[Resource]) -> tuple[str, ...]:
    """Climb among nodes that all still have a parent among themselves, until one comes again."""
    path: dict[Resource, None] = {}
    node = min(left, key=str)
    while node not in path:
        path[node] = None
        node = min(parents[node] & left, key=str)
    climbed = list(path)
    return tuple(_name(step) for step in [*climbed[climbed.index(node) :], node])


def _name(node: Resource) -> str:
    return node.value if isinstance(node, NamedNode) else str(node)


def _seen_through(
    parents: Mapping[Resource, set[Resource]], top_down: list[Resource]
) -> Mapping[Resource, frozenset[NamedNode]]:
    named: dict[Resource, frozenset[NamedNode]] = {}
    for node in top_down:
        above: set[NamedNode] = set()
        for parent in parents.get(node, ()):
            above.update({parent} if isinstance(parent, NamedNode) else named[parent])
        named[node] = frozenset(above)
    return named


def _reversed(links: Links) -> Links:
    back: dict[NamedNode, set[NamedNode]] = defaultdict(set)
    for source, targets in links.items():
        for target in targets:
            back[target].add(source)
    return {target: frozenset(sources) for target, sources in back.items()}


def _reachable(links: Links, start: NamedNode) -> frozenset[NamedNode]:
    if start not in links:
        return _NONE
    seen: set[NamedNode] = set()
    queue = deque([start])
    while queue:
        fresh = links.get(queue.popleft(), _NONE) - seen
        seen |= fresh
        queue.extend(fresh)
    return frozenset(seen)
