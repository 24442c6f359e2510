"""All that a peer has when it joins, as text and numbers: its schema, what there is data of, and what that is about."""

from __future__ import annotations

from msgspec import Struct

from triplewire.errors import MessageRefused
from triplewire.federation.indexes.group_index import PeerView
from triplewire.federation.sites.codec.changes import names_of, nodes_of
from triplewire.federation.sites.terms import iri_of, text_of, triples_of
from triplewire.rules.schema import Schema


class ViewText(Struct, frozen=True, array_like=True):
    """`references` lists, for each resource, the places in `named` of the classes and properties of its data."""

    schema: str
    nodes: tuple[str, ...]
    named: tuple[str, ...]
    references: dict[str, tuple[int, ...]]


def view_text(view: PeerView) -> ViewText:
    pairs = sorted((resource.value, node.value) for node, resource in view.references)
    named = sorted({node for _, node in pairs})
    places = {node: place for place, node in enumerate(named)}
    references: dict[str, list[int]] = {}
    for resource, node in pairs:
        references.setdefault(resource, []).append(places[node])
    listed = {resource: tuple(found) for resource, found in references.items()}
    return ViewText(text_of(view.declared.triples), names_of(view.nodes), tuple(named), listed)


def view_of(text: ViewText) -> PeerView:
    named = [iri_of(name) for name in text.named]
    if any(not 0 <= place < len(named) for places in text.references.values() for place in places):
        raise MessageRefused("view", wanted=f"places below {len(named)}", found="another one")
    resources = ((iri_of(resource), places) for resource, places in text.references.items())
    pairs = ((named[place], resource) for resource, places in resources for place in places)
    return PeerView(Schema(triples_of(text.schema)), nodes_of(text.nodes), pairs)
