"""Terms, triples, lookups, changes and privileges as text and numbers.

What is in an order keeps it: a machine that takes the decoded message does exactly what one did that took the message
itself. Sets are sorted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated

from msgspec import Meta, Struct

from triplewire.errors import MessageRefused
from triplewire.federation.indexes.local_index import IndexChange, Nodes, Reference
from triplewire.federation.sites.privileges import Access, Privileges
from triplewire.federation.sites.requests import Classes, Lookups
from triplewire.federation.sites.terms import (
    LookupText,
    iri_of,
    lookup_of,
    lookup_text,
    quads_of,
    term_of,
    term_text,
    triples_of,
)
from triplewire.rdf.terms import NamedNode, Quad, Triple
from triplewire.rules.changes import Changes, Edits, NamedEdits
from triplewire.rules.execution.actions import MovedArc

Number = Annotated[int, Meta(ge=0, le=2**53)]
Name = Annotated[str, Meta(min_length=1, max_length=1_000)]
"""A unit, a rule, a query, a peer."""
LookupTexts = tuple[LookupText, ...]
ClassTexts = dict[str, tuple[str, ...]]


class EditsText(Struct, frozen=True, array_like=True):
    """N-Triples, and N-Quads of named graphs."""

    inserted: str = ""
    deleted: str = ""
    named_inserted: str = ""
    named_deleted: str = ""


class ChangesText(Struct, frozen=True, array_like=True):
    """N-Triples."""

    edits: EditsText
    inserted: str = ""
    deleted: str = ""


class IndexText(Struct, frozen=True, array_like=True):
    """IRIs, and pairs of them."""

    grown: tuple[str, ...] = ()
    shrunk: tuple[str, ...] = ()
    referenced: tuple[tuple[str, str], ...] = ()
    dropped: tuple[tuple[str, str], ...] = ()


class PrivilegesText(Struct, frozen=True, array_like=True):
    """Terms and IRIs, each with a level."""

    nodes: dict[str, Access]
    resources: dict[str, Access]
    details: tuple[tuple[str, str, Access], ...]
    otherwise: Access


# Triples


def lines(triples: Iterable[Triple | Quad]) -> str:
    """N-Triples or N-Quads, in their order."""
    return "".join(f"{each} .\n" for each in triples)


def moved_text(moved: Iterable[MovedArc]) -> str:
    return lines(triple for arc in moved for triple in (arc.old, arc.new))


def moved_of(text: str) -> tuple[MovedArc, ...]:
    triples = triples_of(text)
    if len(triples) % 2:
        raise MessageRefused("moved arcs", wanted="pairs of triples", found=f"{len(triples)} triples")
    return tuple(MovedArc(old, new) for old, new in zip(triples[::2], triples[1::2], strict=True))


# Changes


def edits_text(edits: Edits) -> EditsText:
    named = edits.named
    return EditsText(lines(edits.inserted), lines(edits.deleted), lines(named.inserted), lines(named.deleted))


def edits_of(text: EditsText) -> Edits:
    named = NamedEdits(quads_of(text.named_inserted), quads_of(text.named_deleted))
    return Edits(triples_of(text.inserted), triples_of(text.deleted), named)


def changes_text(changes: Changes) -> ChangesText:
    return ChangesText(edits_text(changes.edits), lines(changes.inserted), lines(changes.deleted))


def changes_of(text: ChangesText) -> Changes:
    return Changes(edits_of(text.edits), triples_of(text.inserted), triples_of(text.deleted))


# Indexes


def index_text(change: IndexChange) -> IndexText:
    referenced, dropped = _pairs(change.referenced), _pairs(change.dropped)
    return IndexText(names_of(change.grown), names_of(change.shrunk), referenced, dropped)


def index_of(text: IndexText) -> IndexChange:
    referenced, dropped = _references(text.referenced), _references(text.dropped)
    return IndexChange(nodes_of(text.grown), nodes_of(text.shrunk), referenced, dropped)


def names_of(nodes: Nodes) -> tuple[str, ...]:
    return tuple(sorted(node.value for node in nodes))


def nodes_of(names: Iterable[str]) -> Nodes:
    return frozenset(map(iri_of, names))


def _pairs(references: Iterable[Reference]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((node.value, resource.value) for node, resource in references))


def _references(pairs: Iterable[tuple[str, str]]) -> frozenset[Reference]:
    return frozenset((iri_of(node), iri_of(resource)) for node, resource in pairs)


# Lookups and classes


def lookups_text(lookups: Lookups) -> LookupTexts:
    return tuple(map(lookup_text, lookups))


def lookups_of(texts: LookupTexts) -> Lookups:
    return tuple(map(lookup_of, texts))


def classes_text(classes: Classes) -> ClassTexts:
    return {term_text(node): names_of(known) for node, known in classes.items()}


def classes_of(texts: Mapping[str, tuple[str, ...]]) -> Classes:
    return {term_of(node): nodes_of(names) for node, names in texts.items()}


# Privileges


def privileges_text(privileges: Privileges) -> PrivilegesText:
    return PrivilegesText(
        {term_text(term): access for term, access in privileges.nodes.items()},
        {term_text(term): access for term, access in privileges.resources.items()},
        tuple((term_text(node), name.value, access) for (node, name), access in privileges.details.items()),
        privileges.otherwise,
    )


def privileges_of(text: PrivilegesText) -> Privileges:
    details: dict[tuple[object, NamedNode], Access] = {
        (term_of(node), iri_of(name)): access for node, name, access in text.details
    }
    return Privileges(
        {term_of(term): access for term, access in text.nodes.items()},
        {term_of(term): access for term, access in text.resources.items()},
        details,  # type: ignore[arg-type]
        text.otherwise,
    )
