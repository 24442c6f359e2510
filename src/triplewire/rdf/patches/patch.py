"""One transaction of a patch, and its text.

It is kept as what it comes to: of several rows about one quad the last decides, whatever was there before.
"""

from __future__ import annotations

import re

from msgspec import Struct

from triplewire.rdf.terms import BlankNode, Literal, NamedNode, Quad, Term

MEDIA_TYPE = "application/rdf-patch"
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


class PrefixChange(Struct, frozen=True):
    """A prefix that the dataset, or one graph of it, gets; or loses, where `iri` is None."""

    prefix: str
    iri: str | None
    graph: NamedNode | BlankNode | None = None


class Patch(Struct, frozen=True):
    """Quads that are there after the transaction, quads that are not, and what its headers say.

    >>> print(Patch(added=(Quad(NamedNode("urn:a"), NamedNode("urn:p"), Literal("b")),)), end="")
    TX .
    A <urn:a> <urn:p> "b" .
    TC .
    """

    added: tuple[Quad, ...] = ()
    removed: tuple[Quad, ...] = ()
    headers: tuple[tuple[str, Term], ...] = ()
    prefixes: tuple[PrefixChange, ...] = ()

    def header(self, name: str) -> Term | None:
        """The value of a header, the last if there are several."""
        return next((value for key, value in reversed(self.headers) if key == name), None)

    def __str__(self) -> str:
        return print_patch(self)


def print_patch(patch: Patch) -> str:
    """The text of a transaction. Several of them, one after the other, are a patch too."""
    rows = [f"H {name if _WORD.fullmatch(name) else Literal(name)} {value} ." for name, value in patch.headers]
    rows.append("TX .")
    rows += [_printed_prefix(change) for change in patch.prefixes]
    rows += [f"D {quad} ." for quad in patch.removed]
    rows += [f"A {quad} ." for quad in patch.added]
    rows.append("TC .\n")
    return "\n".join(rows)


def _printed_prefix(change: PrefixChange) -> str:
    words = ["PD" if change.iri is None else "PA", str(Literal(change.prefix))]
    if change.iri is not None:
        words.append(str(Literal(change.iri)))
    if change.graph is not None:
        words.append(str(change.graph))
    return " ".join([*words, "."])
