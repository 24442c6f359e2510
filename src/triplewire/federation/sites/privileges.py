"""Access privileges (section 3): what a peer group lets other super-peers read and write.

They are said for classes and properties, for resources, and for one property of one resource. The most specific one
decides; of several that are as specific, the strictest. What nothing is said of is private. Inside a peer group nobody
asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum

from msgspec import Struct

from triplewire.errors import UpdateRefused
from triplewire.federation.indexes.group_index import PartialView, PeerView, induced
from triplewire.federation.indexes.local_index import Nodes, Reference, node_of
from triplewire.rdf.terms import NamedNode, Term, Triple
from triplewire.rules.vocabulary import TYPE


class Access(IntEnum):
    PRIVATE = 0
    READ_ONLY = 1
    READ_WRITE = 2


class Privileges(Struct, frozen=True):
    """What others may do with data of classes and properties, of resources, and of a property of a resource."""

    nodes: Mapping[Term, Access] = {}
    resources: Mapping[Term, Access] = {}
    details: Mapping[tuple[Term, NamedNode], Access] = {}
    otherwise: Access = Access.PRIVATE

    def of_triple(self, triple: Triple, classes: Iterable[Term]) -> Access:
        """What others may do with a triple, whose subject is of these classes."""
        detail = self.details.get((triple.subject, triple.predicate))
        if detail is not None:
            return detail
        named = [self.resources[end] for end in (triple.subject, triple.object) if end in self.resources]
        if named:
            return min(named)
        node = node_of(triple)
        own = self.otherwise if node is None else self.nodes.get(node, self.otherwise)
        return min([own, *(self.nodes[cls] for cls in classes if cls in self.nodes)])

    def open_nodes(self, nodes: Nodes, access: Access) -> Nodes:
        """Those classes and properties of which some data may be open to others. Single triples are looked at later."""
        if any(level >= access for level in (*self.resources.values(), *self.details.values())):
            return nodes
        return frozenset(node for node in nodes if self.nodes.get(node, self.otherwise) >= access)

    def readable(self, view: PeerView, resources: Iterable[NamedNode] = ()) -> PeerView:
        """A peer as others see it who want to read. Of its resources only these are looked at.

        One is there for them if they may read that it has a class there: of one that arcs lead to, nobody knows here
        whether others may read these arcs.
        """
        opened = frozenset(self._opened(view))
        nodes = [n for n in view.nodes if n in opened or self.nodes.get(n, self.otherwise) > Access.PRIVATE]
        seen: list[Reference] = []
        for resource in resources:
            classes = view.classes_of(resource)
            seen += [(cls, resource) for cls in classes if self._is_class_open(resource, cls, classes)]
        return PeerView(view.declared, frozenset(nodes), seen)

    def writable(self, view: PeerView) -> PeerView:
        """A peer as others see it who want to write."""
        declared = frozenset(view.declared.classes | view.declared.properties) | view.nodes
        open_to_others = self.open_nodes(declared, Access.READ_WRITE)
        closed = frozenset(one for one, access in self.resources.items() if access < Access.READ_WRITE)
        return PartialView(view, induced(view.declared, open_to_others), view.nodes & open_to_others, closed)

    def check(self, triples: Iterable[Triple], classes: Mapping[Term, Iterable[Term]]) -> None:
        """Raise `UpdateRefused` if others may not write one of the triples."""
        for triple in triples:
            access = self.of_triple(triple, classes.get(triple.subject, ()))
            if access < Access.READ_WRITE:
                wanted = "the right of other super-peers to write"
                raise UpdateRefused(wanted=f"{wanted} {triple}", found=access.name.lower().replace("_", "-"))

    def _is_class_open(self, resource: NamedNode, cls: NamedNode, classes: Iterable[NamedNode]) -> bool:
        return self.of_triple(Triple(resource, TYPE, cls), classes) > Access.PRIVATE

    def _opened(self, view: PeerView) -> Iterator[NamedNode]:
        """The classes and properties of which a peer has open data by what is said of its resources."""
        for resource, access in self.resources.items():
            if access > Access.PRIVATE and isinstance(resource, NamedNode):
                yield from view.nodes_of(resource)
        for (resource, name), access in self.details.items():
            if access > Access.PRIVATE and isinstance(resource, NamedNode):
                yield from view.nodes_of(resource) & {node_of(Triple(resource, name, resource))}
