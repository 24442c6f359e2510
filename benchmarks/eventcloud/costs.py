"""What a step costs a node, as a model that is fitted to steps that were measured.

A step is one input of a node: a message, a publication, a subscription, a tick. Its cost is a sum: so much for a step
of its kind, for a quadruple in it, for a subscription that is looked at, for a receipt, for a message that goes out,
for a kilobyte in and out, and for what is asked of the storage. What a node does for its own zones in the same step is
seen there. A commit costs an fsync, something once, and something for each change.
Nothing has a negative cost.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from math import ceil
from pathlib import Path
from statistics import median

import numpy as np
from msgspec import Struct, field

# Steps of a kind of which so few were measured have the cost of any step.
_FEWEST = 20
_SHARED = (
    "quad",
    "subscription looked at",
    "receipt",
    "event decided",
    "message sent",
    "kilobyte in and out",
    "record or header read",
    "search for quadruples",
    "record written or deleted",
    "quadruple or event added",
)
# Of each kind, this share of the steps that took longest is left out: something else went on meanwhile.
_INTERRUPTED = 0.01
_FSYNCS = 200


class StorageWork(Struct):
    """What was asked of a storage so far: records and headers read, searches for quadruples, records written or
    deleted, quadruples and events added.
    """

    gets: int = 0
    searches: int = 0
    puts: int = 0
    adds: int = 0

    @property
    def changes(self) -> int:
        return self.puts + self.adds

    def since(self, before: StorageWork) -> StorageWork:
        return StorageWork(
            self.gets - before.gets,
            self.searches - before.searches,
            self.puts - before.puts,
            self.adds - before.adds,
        )


class Step(Struct):
    """What an input has to do with, and how long it took: processor time, with reading and writing the messages."""

    kind: str
    quads: int = 0
    looked_at: int = 0
    receipts: int = 0
    decided: int = 0
    sent: int = 0
    size: int = 0
    seconds: float = 0.0
    work: StorageWork = field(default_factory=StorageWork)

    @property
    def counts(self) -> tuple[float, ...]:
        """How often each of the shared costs applies."""
        work = self.work
        of_storage = (work.gets, work.searches, work.puts, work.adds)
        return self.quads, self.looked_at, self.receipts, self.decided, self.sent, self.size / 1000, *of_storage


class Commit(Struct, frozen=True):
    """How many changes were made durable together, and the processor time that it took."""

    changes: int
    seconds: float


class Fit(Struct, frozen=True):
    """How well a model says what was measured: R², and the share of the sum of all times that is off in the mean."""

    measured: int
    r_squared: float
    root_mean_square: float
    total_off: float


class CostModel(Struct, frozen=True):
    """Seconds. `kinds` has what a step costs by its kind, `shared` what is counted in it, `other` is any other kind."""

    kinds: dict[str, float]
    shared: dict[str, float]
    other: float
    commit: float
    change: float
    fsync: float

    def of_step(self, step: Step) -> float:
        shared = sum(count * cost for count, cost in zip(step.counts, self.shared.values(), strict=True))
        return self.kinds.get(step.kind, self.other) + shared

    def of_commit(self, changes: int) -> float:
        return self.fsync + self.commit + self.change * changes if changes else 0.0


def fitted(steps: Sequence[Step], commits: Sequence[Commit], fsync: float) -> tuple[CostModel, Fit, Fit]:
    """The model, and how well it fits steps and commits. What an fsync takes was measured apart."""
    by_kind = _by_kind(steps)
    kinds = [kind for kind, alike in by_kind.items() if len(alike) >= _FEWEST]
    used = [step for alike in by_kind.values() for step in alike]
    rows = np.array([[*(float(step.kind == kind) for kind in kinds), *step.counts] for step in used])
    times = np.array([step.seconds for step in used])
    found = non_negative_least_squares(rows, times)
    once_by_kind, shared = dict(zip(kinds, map(float, found), strict=False)), map(float, found[len(kinds) :])
    pairs = np.array([[1.0, commit.changes] for commit in commits])
    durations = np.array([commit.seconds for commit in commits])
    once, each = map(float, non_negative_least_squares(pairs, durations))
    other = float(np.mean(list(once_by_kind.values())))
    model = CostModel(once_by_kind, dict(zip(_SHARED, shared, strict=True)), other, once, each, fsync)
    return model, _fit(rows @ found, times), _fit(pairs @ np.array([once, each]), durations)


def fsync_seconds(folder: Path) -> float:
    """How long an fsync of four kilobytes takes on this disk: the median, since others may use it."""
    found = []
    with (folder / "synced").open("wb") as file:
        for _ in range(_FSYNCS):
            before = time.perf_counter()
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
            found.append(time.perf_counter() - before)
    return median(found)


def _by_kind(steps: Sequence[Step]) -> dict[str, list[Step]]:
    found: dict[str, list[Step]] = {}
    for step in sorted(steps, key=lambda step: (step.kind, step.seconds)):
        found.setdefault(step.kind, []).append(step)
    return {kind: alike[: ceil(len(alike) * (1 - _INTERRUPTED))] for kind, alike in found.items()}


def non_negative_least_squares(rows: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Least squares in which whatever would be negative is nothing.

    >>> non_negative_least_squares(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 3.0, 5.0])).round(6)
    array([1., 2.])
    """
    active = np.arange(rows.shape[1])
    while True:
        solution = np.linalg.lstsq(rows[:, active], values, rcond=None)[0]
        if (solution >= 0).all():
            break
        active = active[solution > 0]
    result = np.zeros(rows.shape[1])
    result[active] = solution
    return result


def _fit(predicted: np.ndarray, values: np.ndarray) -> Fit:
    residuals = values - predicted
    spread = float(((values - values.mean()) ** 2).sum())
    return Fit(
        measured=len(values),
        r_squared=1 - float((residuals**2).sum()) / spread if spread else 1.0,
        root_mean_square=float(np.sqrt((residuals**2).mean())),
        total_off=float(abs(residuals.sum()) / values.sum()),
    )
