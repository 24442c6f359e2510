"""RDF Patch: what was added to a dataset and removed from it, as text (`application/rdf-patch`).

    patch    one transaction: headers, quads added and removed, prefixes; and its text
    rows     one line of the text, cut into an operation and its parts
    reading  lines to transactions, one at a time, under limits

One row a line, each with a dot behind it: `A` and `D` add and delete a triple or quad, written as in N-Quads; `PA` and
`PD` a prefix; `TX` begins a transaction, `TC` commits it, `TA` gives it up; `H` rows before it say what it is. Rows
outside of any transaction are one together. A blank node is the one with that label, in every document.
"""

from __future__ import annotations

from triplewire.rdf.patches.patch import MEDIA_TYPE, Patch, PrefixChange, print_patch
from triplewire.rdf.patches.reading import parse_patches, read_patches

__all__ = ["MEDIA_TYPE", "Patch", "PrefixChange", "parse_patches", "print_patch", "read_patches"]
