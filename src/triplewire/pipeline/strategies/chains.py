"""A core as a chain of sub-subscriptions: each is matched by one quad, with what the quads before it have bound.

Quad number `i` of a chain binds the slots `3 * i`, `3 * i + 1` and `3 * i + 2` to its subject, predicate and object.
A step says for each position what it must be: a constant's fingerprint, an earlier slot, or anything. A pattern that
nothing leads to is left out of the chain, and so is what comes after the longest chain allowed: the verification
looks at all of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct

from triplewire.algebra.patterns import Pattern, PatternTerm, Variable
from triplewire.algebra.queries import cores_of
from triplewire.algebra.subscriptions import Subscription
from triplewire.matching.chains.steps import in_join_order, steps_of
from triplewire.pipeline.strategies.fingerprints import fingerprint, mask_of

LONGEST = 4
NO_SLOT = -1
CHAINS, TEXTS = "chains.parquet", "subscriptions.parquet"
_AT_A_TIME = 20_000

_CHAIN_SCHEMA = pa.schema(
    [
        ("subscription", pa.string()),
        ("masks", pa.list_(pa.int32())),
        ("constants", pa.list_(pa.int64())),
        ("slots", pa.list_(pa.int32())),
        ("wanted", pa.list_(pa.bool_())),
    ]
)
_TEXT_SCHEMA = pa.schema([(name, pa.string()) for name in ("subscription", "language", "text", "owner")])


class FingerprintChain(Struct, frozen=True):
    """The steps of one core, three places to a step; `masks` says which positions are known when a step is reached.

    `constants` holds fingerprints (0 where there is none), `slots` the slot that a position must equal, `wanted`
    whether a later step asks for what a place binds.
    """

    subscription: str
    masks: tuple[int, ...]
    constants: tuple[int, ...]
    slots: tuple[int, ...]
    wanted: tuple[bool, ...]


def chains_of(subscription: Subscription, seed: int) -> Iterator[FingerprintChain]:
    """One chain a core. A chain without steps means that every event has to be verified."""
    for core in cores_of(subscription.query):
        if core.constraint.alternatives:
            yield _chain(subscription.id, in_join_order(core), seed)


def write_tables(subscriptions: Sequence[Subscription], seed: int, folder: Path) -> list[Subscription]:
    """Write chains and texts as tables; returns the subscriptions that have no chain to go by."""
    opened: list[Subscription] = []
    with (
        pq.ParquetWriter(folder / CHAINS, _CHAIN_SCHEMA) as chains,
        pq.ParquetWriter(folder / TEXTS, _TEXT_SCHEMA) as texts,
    ):
        for start in range(0, len(subscriptions), _AT_A_TIME):
            some = [(s, list(chains_of(s, seed))) for s in subscriptions[start : start + _AT_A_TIME]]
            led = [(s, found) for s, found in some if all(one.masks for one in found)]
            opened.extend(s for s, found in some if not all(one.masks for one in found))
            rows = [msgspec.structs.asdict(one) for _, found in led for one in found]
            chains.write_batch(pa.RecordBatch.from_pylist(rows, _CHAIN_SCHEMA))
            written = [dict(zip(_TEXT_SCHEMA.names, (s.id, s.language, s.text, s.owner), strict=True)) for s, _ in led]
            texts.write_batch(pa.RecordBatch.from_pylist(written, _TEXT_SCHEMA))
    return opened


def _chain(name: str, patterns: list[Pattern], seed: int) -> FingerprintChain:
    steps = steps_of(_led_to(patterns)[:LONGEST])
    masks = tuple(mask_of(_if_known(term, step.known) for term in step.pattern) for step in steps)
    bound: dict[Variable, int] = {}
    places: list[tuple[int, int]] = []
    wanted: list[bool] = []
    for number, step in enumerate(steps):
        places.extend(_place(term, bound, seed) for term in step.pattern)
        for place, term in enumerate(step.pattern):
            binds = isinstance(term, Variable) and bound.setdefault(term, 3 * number + place) == 3 * number + place
            wanted.append(binds and term in step.needed)
    return FingerprintChain(name, masks, tuple(c for c, _ in places), tuple(s for _, s in places), tuple(wanted))


def _led_to(patterns: list[Pattern]) -> list[Pattern]:
    """Without those that neither a constant nor an earlier one leads to."""
    bound: set[Variable] = set()
    led = []
    for pattern in patterns:
        if any(_if_known(term, bound) is not None for term in pattern):
            led.append(pattern)
            bound.update(pattern.variables)
    return led


def _if_known(term: PatternTerm, bound: Collection[Variable]) -> PatternTerm | None:
    return None if isinstance(term, Variable) and term not in bound else term


def _place(term: PatternTerm, bound: dict[Variable, int], seed: int) -> tuple[int, int]:
    if isinstance(term, Variable):
        return 0, bound.get(term, NO_SLOT)
    return fingerprint(term, seed), NO_SLOT
