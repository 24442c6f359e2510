"""Terms, parts of quads and whole batches of quads as 64-bit numbers.

The fingerprint of a term is the hash that the scanner gives it. A key is one number for a part of a quad: which
positions are fixed, and the fingerprints of the terms that stand there. Subscriptions and quads are numbered by the
same function, so that they meet where they have a part in common. Two parts may share a number by chance: it makes a
candidate that is turned away when it is verified, never a wrong answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from triplewire.errors import InputError
from triplewire.matching.chains.anchors import Anchor
from triplewire.matching.kernels.columns import HASH, QUAD_LINE, O, P, S
from triplewire.matching.kernels.hashing import hash_term
from triplewire.matching.scanning.scanner import scan
from triplewire.matching.scanning.strict_parser import spelling
from triplewire.pipeline.payloads import joined
from triplewire.rdf.terms import Term

Keys = NDArray[np.int64]

SUBJECT, PREDICATE, OBJECT = 1, 2, 4
POSITIONS = (SUBJECT, PREDICATE, OBJECT)

_STIR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


def mask_of(terms: Iterable[object]) -> int:
    """Which positions hold something, as a sum of SUBJECT, PREDICATE and OBJECT."""
    return sum(position for position, term in zip(POSITIONS, terms, strict=True) if term is not None)


def fingerprint(term: Term, seed: int) -> int:
    """A term's 64-bit hash, the same that the scanner gives it."""
    return hash_term(spelling(term).encode(), seed)


def keys_of(mask: int, fingerprints: tuple[Keys, Keys, Keys]) -> Keys:
    """The keys of many quads for one mask, from the fingerprints of subjects, predicates and objects."""
    state: NDArray[Any] = np.full(fingerprints[0].shape, mask, np.uint64) * _STIR
    for position, column in zip(POSITIONS, fingerprints, strict=True):
        if mask & position:
            state = (state ^ column.view(np.uint64)) * _STIR
            state ^= state >> _SHIFT
    return state.view(np.int64)


def key_of(anchor: Anchor, seed: int) -> int:
    """The key of an anchor."""
    prints = [0 if term is None else fingerprint(term, seed) for term in anchor.terms]
    subject, predicate, thing = (np.array([value], np.int64) for value in prints)
    return int(keys_of(mask_of(anchor.terms), (subject, predicate, thing))[0])


class Quads(Struct, frozen=True, eq=False):
    """The quads of some events, as fingerprints; `rows[i]` is the row of quad `i`, `total` the number of rows."""

    subjects: Keys
    predicates: Keys
    objects: Keys
    rows: NDArray[np.int64]
    total: int

    @property
    def fingerprints(self) -> tuple[Keys, Keys, Keys]:
        return self.subjects, self.predicates, self.objects


def quads_in(batch: pa.RecordBatch, seed: int) -> Quads:
    """Scan a batch of event rows in one go.

    Whatever the strategy, a payload that is no sound event fails the query. An event that leads nowhere is matched by
    nobody, so its payload is judged here.
    """
    text, starts = joined(batch.column("payload").cast(pa.binary()))
    scanned = scan(text, seed)
    rows = np.searchsorted(starts, scanned.quads[:, QUAD_LINE], side="right") - 1
    for error in scanned.errors:
        row = int(np.searchsorted(starts, error.line, side="right")) - 1
        raise _unsound(batch, row, error.line - int(starts[row]) + 1, error.message)
    for row in np.setdiff1d(np.arange(len(batch)), rows).tolist():
        raise _unsound(batch, row, 1, "wanted at least one quad, found none")
    subjects, predicates, objects = (np.ascontiguousarray(scanned.quads[:, term + HASH]) for term in (S, P, O))
    return Quads(subjects, predicates, objects, rows, len(batch))


def _unsound(batch: pa.RecordBatch, row: int, line: int, reason: str) -> InputError:
    return InputError(f"payload line {line}: {reason}", source=f"event {batch.column('event')[row].as_py()}")
