"""A super-peer's combined schema (section 3.1): each class and property with the peers that have data of it.

Beside it stands the resource index: which resources the data of each peer is about. S_i, the part of the schema that is
induced by what peer i has, is what the relevance of a rule to that peer is asked of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from msgspec import Struct

from triplewire.federation.indexes.local_index import IndexChange, Nodes, Reference
from triplewire.federation.indexes.merging import Merged, merged
from triplewire.rdf.terms import RDF, RDFS, NamedNode, Term, Triple
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import CONTAINERS, MEMBERSHIP, RESOURCE, TYPE, is_datatype

_CLASS, _PROPERTY = RDFS["Class"], RDF["Property"]
_AMBIENT = CONTAINERS | {RESOURCE, MEMBERSHIP, TYPE, _CLASS, _PROPERTY}
_NOBODY: frozenset[str] = frozenset()
_NOTHING: Nodes = frozenset()
# One for each peer and each other super-peer, and what others see of them.
_MOST_PARTS = 4_096


class GroupChange(Struct, frozen=True):
    """Of which classes and properties the group has data now, and of which it has none any more."""

    grown: Nodes = frozenset()
    shrunk: Nodes = frozenset()

    def __bool__(self) -> bool:
        return bool(self.grown or self.shrunk)


class PeerView:
    """What one peer has: its own schema, the part of it that there is data of, and the resources it references.

    `classes` is the schema whose classes describe a resource, where only part of it is looked at.
    """

    def __init__(
        self,
        declared: Schema,
        nodes: Nodes = frozenset(),
        references: Iterable[Reference] = (),
        classes: Schema | None = None,
    ) -> None:
        self.declared = declared
        self._classes = declared if classes is None else classes
        self.nodes = nodes
        self._resources: dict[NamedNode, set[NamedNode]] = {}
        self._induced: Schema | None = None
        for node, resource in references:
            self._resources.setdefault(resource, set()).add(node)

    @property
    def schema(self) -> Schema:
        """S_i: the schema that is induced by what there is data of."""
        if self._induced is None:
            self._induced = induced(self.declared, self.nodes)
        return self._induced

    @property
    def references(self) -> Iterator[Reference]:
        return ((node, resource) for resource, nodes in self._resources.items() for node in nodes)

    def has(self, resource: NamedNode) -> bool:
        """Whether the resource is in the resource index for this peer."""
        return resource in self._resources

    def nodes_of(self, resource: NamedNode) -> Nodes:
        """The classes and properties of the data that is about a resource."""
        return frozenset(self._resources.get(resource, ()))

    def classes_of(self, resource: NamedNode) -> list[NamedNode]:
        """The classes that a resource has at this peer."""
        return sorted((node for node in self.nodes_of(resource) if self._classes.is_class(node)), key=str)

    def describes(self, resource: NamedNode) -> bool:
        """Whether the resource has a class at this peer, and is not only what arcs lead to."""
        return any(self._classes.is_class(node) for node in self._resources.get(resource, ()))

    def declare(self, schema: Schema) -> None:
        """The peer has another schema than before."""
        self.declared = self._classes = schema
        self._induced = None

    def include(self, change: IndexChange) -> None:
        """Follow a change of the peer's own index. Repeats do no harm."""
        if change.grown or change.shrunk:
            self.nodes = self.nodes - change.shrunk | change.grown
            self._induced = None
        for node, resource in change.dropped:
            nodes = self._resources.get(resource, set())
            nodes.discard(node)
            if not nodes:
                self._resources.pop(resource, None)
        for node, resource in change.referenced:
            self._resources.setdefault(resource, set()).add(node)


class PartialView(PeerView):
    """A peer of which others see some classes and properties, and not all resources.

    Its resources are looked at where they are: there may be a million, and an instance of actions names a few.
    """

    def __init__(self, whole: PeerView, declared: Schema, nodes: Nodes, closed: frozenset[Term]) -> None:
        super().__init__(declared, nodes, (), whole.declared)
        self._whole = whole
        self._closed = closed

    @property
    def references(self) -> Iterator[Reference]:
        return (reference for reference in self._whole.references if reference[1] not in self._closed)

    def has(self, resource: NamedNode) -> bool:
        return resource not in self._closed and self._whole.has(resource)

    def nodes_of(self, resource: NamedNode) -> Nodes:
        return _NOTHING if resource in self._closed else self._whole.nodes_of(resource)

    def describes(self, resource: NamedNode) -> bool:
        return resource not in self._closed and self._whole.describes(resource)


class _BeforeAndAfter(PeerView):
    """A peer with what it has lost in changes that are still looked at."""

    def __init__(self, now: PeerView, lost: PeerView) -> None:
        super().__init__(now.declared, now.nodes | lost.nodes)
        self._now = now
        self._lost = lost

    @property
    def schema(self) -> Schema:
        return self._now.schema if self._lost.nodes <= self._now.nodes else super().schema

    def has(self, resource: NamedNode) -> bool:
        return self._now.has(resource) or self._lost.has(resource)

    def describes(self, resource: NamedNode) -> bool:
        return self._now.describes(resource) or self._lost.describes(resource)


class GroupIndex:
    """The annotated schema and the resource index of one peer group."""

    def __init__(self) -> None:
        self._views: dict[str, PeerView] = {}
        self._together: Merged | None = None
        self._peers_with: dict[NamedNode, int] = {}
        self._lost: dict[str, PeerView] = {}

    # Peers

    def join(self, peer: str, view: PeerView) -> GroupChange:
        """A peer with all that it has; one that was here before is taken anew."""
        before = self._views.get(peer)
        self._views[peer] = view
        self._together = None
        return self._recount(_NOTHING if before is None else before.nodes, view.nodes)

    def leave(self, peer: str) -> GroupChange:
        """A peer is no longer in the group."""
        view = self._views.pop(peer, None)
        self._together = None
        return self._recount(_NOTHING if view is None else view.nodes, _NOTHING)

    def declare(self, peer: str, schema: Schema, change: IndexChange) -> GroupChange:
        """A peer declares another schema, and what follows from its data has changed with it."""
        self._views[peer].declare(schema)
        self._together = None
        return self.follow(peer, change)

    def follow(self, peer: str, change: IndexChange) -> GroupChange:
        """A peer's annotated schema has changed."""
        view = self._views[peer]
        before = view.nodes
        view.include(change)
        return self._recount(before, view.nodes) if before is not view.nodes else GroupChange()

    # What was there: a deletion is an event of what is there no more

    def lost(self, peer: str, change: IndexChange) -> None:
        """A change is to be looked at with what the peer had before it, until `all_seen`."""
        if (change.shrunk or change.dropped) and peer in self._views:
            lost = self._lost.setdefault(peer, PeerView(self._views[peer].declared))
            lost.include(IndexChange(grown=change.shrunk, referenced=change.dropped))

    def all_seen(self, peer: str) -> None:
        """No change of the peer is to be looked at any more."""
        self._lost.pop(peer, None)

    def before_and_after(self, peer: str) -> PeerView:
        """What a peer has now, or had before one of the changes that are still looked at."""
        now, lost = self._views[peer], self._lost.get(peer)
        return now if lost is None else _BeforeAndAfter(now, lost)

    @property
    def recent_schema(self) -> Schema:
        """The part of the combined schema that somebody has data of, or had before a change that is still looked at."""
        return induced(self.declared, self.nodes.union(*(view.nodes for view in self._lost.values())))

    # Reading

    @property
    def peers(self) -> tuple[str, ...]:
        return tuple(sorted(self._views))

    def __getitem__(self, peer: str) -> PeerView:
        return self._views[peer]

    def __contains__(self, peer: object) -> bool:
        return peer in self._views

    @property
    def nodes(self) -> Nodes:
        """What some peer has data of."""
        return frozenset(self._peers_with)

    @property
    def together(self) -> Merged:
        """The peers' own schemas, as far as they fit, and the peers whose schemas do not."""
        if self._together is None:
            self._together = merged((peer, self._views[peer].declared) for peer in self.peers)
        return self._together

    @property
    def declared(self) -> Schema:
        """The combined schema: all that the peers' own schemas say."""
        return self.together.schema

    @property
    def schema(self) -> Schema:
        """The part of the combined schema that somebody has data of."""
        return induced(self.declared, self.nodes)

    def peers_with(self, node: NamedNode) -> frozenset[str]:
        """The annotation of a class or property."""
        return frozenset(peer for peer, view in self._views.items() if node in view.nodes)

    def peers_of(self, resource: NamedNode) -> frozenset[str]:
        """The peers that reference a resource."""
        return frozenset(peer for peer, view in self._views.items() if view.has(resource))

    def resources(self, node: NamedNode) -> Mapping[NamedNode, frozenset[str]]:
        """The resource index of a class or property: each resource, with the peers that reference it."""
        found: dict[NamedNode, frozenset[str]] = {}
        for peer, view in self._views.items():
            for listed, resource in view.references:
                if listed == node:
                    found[resource] = found.get(resource, _NOBODY) | {peer}
        return found

    # Private

    def _recount(self, before: Nodes, after: Nodes) -> GroupChange:
        """One peer's nodes have changed; how the group's have."""
        came, went = after - before, before - after
        counts = self._peers_with
        grown = frozenset(node for node in came if node not in counts)
        shrunk = frozenset(node for node in went if counts[node] == 1)
        counts.update((node, counts.get(node, 0) + 1) for node in came)
        counts.update((node, counts[node] - 1) for node in went)
        for node in shrunk:
            del counts[node]
        return GroupChange(grown, shrunk)


@lru_cache(maxsize=_MOST_PARTS)
def induced(schema: Schema, nodes: Nodes) -> Schema:
    """The subgraph of a schema that some of its classes and properties induce."""

    def stays(node: NamedNode) -> bool:
        return node in nodes or node in _AMBIENT or is_datatype(node)

    said = (t for t in schema.triples if _ends_stay(t, stays))
    declared = (Triple(node, TYPE, _CLASS if schema.is_class(node) else _PROPERTY) for node in nodes - _AMBIENT)
    return Schema((*said, *declared))


def _ends_stay(triple: Triple, stays: Callable[[NamedNode], bool]) -> bool:
    return all(isinstance(end, NamedNode) and stays(end) for end in (triple.subject, triple.object))
