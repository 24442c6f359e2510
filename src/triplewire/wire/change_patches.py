"""Changes of the living graph as RDF Patch: one transaction each, which says where it stands."""

from __future__ import annotations

from triplewire.wire.answers import ChangeView

_NAME = "urn:triplewire:change:"
_DOUBLE = "http://www.w3.org/2001/XMLSchema#double"


def patch_of(change: ChangeView) -> str:
    """A transaction of RDF Patch. A change's quads are the very text that patches are made of.

    >>> print(patch_of(ChangeView(2, 0.5, ("<urn:a> <urn:p> <urn:b>",), ())), end="")
    H id <urn:triplewire:change:2> .
    H prev <urn:triplewire:change:1> .
    H time "0.5"^^<http://www.w3.org/2001/XMLSchema#double> .
    TX .
    A <urn:a> <urn:p> <urn:b> .
    TC .
    """
    rows = [
        f"H id <{_NAME}{change.position}> .",
        f"H prev <{_NAME}{change.position - 1}> .",
        f'H time "{change.time}"^^<{_DOUBLE}> .',
        "TX .",
        *(f"D {line} ." for line in change.removed),
        *(f"A {line} ." for line in change.added),
    ]
    return "\n".join([*rows, "TC .\n"])
