"""Values that are random, and yet the same whenever the same solution is computed again.

A view is brought up to date from what changed; a UUID that were new each time would make all of its solutions new. So
BNODE, UUID, STRUUID and RAND depend on the solution, on the place in the query, and on the salt of the evaluation,
which an update makes new.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from triplewire.rdf.terms import Term


def digest(salt: str, place: str, solution: Mapping[str, Term]) -> bytes:
    """32 bytes that tell solutions apart."""
    rows = "\0".join(f"{name}\1{solution[name]}" for name in sorted(solution))
    return sha256(f"{salt}\0{place}\0{rows}".encode()).digest()
