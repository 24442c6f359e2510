"""Run the kernels over one segment, with a workspace that is kept from batch to batch."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from triplewire.matching.kernels.index.intervals import STACK
from triplewire.matching.kernels.layout import UNSURE, YES
from triplewire.matching.kernels.machine import Table, kernel
from triplewire.matching.kernels.search.groups import LARGE_DIRECTORY
from triplewire.matching.kernels.search.join import SOLUTION_WORDS
from triplewire.matching.kernels.search.search import RESULTS, VERIFIED, search
from triplewire.matching.kernels.search.term_numbers import localise, most_quads
from triplewire.matching.kernels.structures import EventBatch, Flags, Lineage, Programs, SearchOutput, Workspace
from triplewire.matching.scanning.scanner import ScanResult
from triplewire.matching.segments.segment import Owners, Segment

_FIRST_RESULTS = 1 << 10
_FIRST_WORDS = 1 << 13

# Columns of a match.
MATCH_EVENT, MATCH_SUBSCRIPTION, MATCH_OUTCOME, MATCH_WORD, MATCH_SOLUTIONS, MATCH_WIDTH = range(6)


class SegmentMatches(Struct, frozen=True, eq=False):
    """What one segment has to say about a batch: a row a match, and the solutions they point into.

    `undecided` rows still have to be evaluated: their outcome is not YES. `verified` counts the candidates.
    """

    segment: Segment
    matches: Table
    solutions: Table
    undecided: int
    verified: int


class Workspaces(threading.local):
    """A workspace for each thread and segment."""

    def __init__(self) -> None:
        self.by_segment: dict[int, tuple[Segment, Workspace]] = {}
        self.output = SearchOutput(
            np.empty((_FIRST_RESULTS, 5), np.int64), np.empty(_FIRST_WORDS, np.int64), np.zeros(3, np.int64)
        )

    def forget_all_but(self, segments: Sequence[Segment]) -> None:
        """Give back this thread's workspaces for segments that are gone."""
        if len(self.by_segment) > len(segments):
            kept = {id(segment) for segment in segments}
            self.by_segment = {key: held for key, held in self.by_segment.items() if key in kept}


def batch_of(scanned: ScanResult) -> EventBatch:
    """The kernels' view of scanned events."""
    return localise(scanned.buffer, scanned.quads, scanned.numbers, scanned.events)


def search_segment(
    segment: Segment, lineage: Lineage, batch: EventBatch, workspaces: Workspaces, budget: int
) -> SegmentMatches:
    """Every match in one segment, and every candidate that the kernels leave undecided."""
    workspace = _workspace(workspaces, segment, batch)
    found = workspaces.output
    found.counts[:] = 0
    event = 0
    while (event := search(batch, segment.arrays, lineage, workspace, found, event, budget)) < len(batch.events):
        found = workspaces.output = _larger(found)
    results = found.results[: found.counts[RESULTS]]
    matches, undecided = expanded(results, segment.arrays.programs, segment.owners, segment.removed, segment.general)
    solutions = found.solutions[: found.counts[SOLUTION_WORDS]].copy()
    return SegmentMatches(segment, matches, solutions, undecided, int(found.counts[VERIFIED]))


def _larger(output: SearchOutput) -> SearchOutput:
    """Twice as large, with what was found so far."""
    results = np.empty((2 * len(output.results), 5), np.int64)
    results[: len(output.results)] = output.results
    solutions = np.empty(2 * output.solutions.size, np.int64)
    solutions[: output.solutions.size] = output.solutions
    return SearchOutput(results, solutions, output.counts)


def _workspace(workspaces: Workspaces, segment: Segment, batch: EventBatch) -> Workspace:
    held = workspaces.by_segment.get(id(segment))
    workspace = None if held is None else held[1]
    terms = 3 * most_quads(batch.events) + 1
    if workspace is None:
        workspace = _new_room(segment, terms)
        segment.tallies.append(workspace.seen)
    elif workspace.constants.size < terms:
        workspace = _new_room(segment, 2 * terms)._replace(serial=workspace.serial, seen=workspace.seen)
    # The segment is held too, so that its id cannot come to mean another one.
    workspaces.by_segment[id(segment)] = segment, workspace
    return workspace


def _new_room(segment: Segment, terms: int) -> Workspace:
    programs = segment.arrays.programs
    constants = segment.arrays.constants.hashes.size
    texts = segment.arrays.texts.hashes.size
    heads = programs.starts[:-1]
    patterns, variables = (int(programs.code[heads + place].max(initial=0)) for place in (0, 1))
    return Workspace(
        serial=np.zeros(1, np.int64),
        seen=np.zeros((heads.size, 2), np.int64),
        stamps=np.zeros(constants, np.int64),
        classes=np.zeros(constants, np.int64),
        texts=np.zeros(texts, np.int64),
        keys=np.empty(5 * terms + constants + texts + 1, np.int64),
        groups=np.empty(3 * terms + LARGE_DIRECTORY + 3, np.int32),
        places=np.zeros(constants, np.int32),
        constants=np.empty(terms, np.int32),
        nodes=np.empty(terms, np.int32),
        candidates=np.empty(heads.size, np.int32),
        bindings=np.zeros(variables + 1, np.int32),
        cursors=np.zeros(patterns + 1, np.int32),
        stack=np.empty(STACK, np.int64),
    )


@kernel
def expanded(results: Table, programs: Programs, owners: Owners, removed: Flags, general: Flags) -> tuple[Table, int]:
    """From programs to the live subscriptions that they serve, and how many of those still have to be evaluated."""
    count = 0
    for row in range(len(results)):
        program = results[row, 1]
        for place in range(owners.starts[program], owners.starts[program + 1]):
            count += not removed[owners.members[place]]
    matches = np.empty((count, 6), np.int64)
    at, undecided = 0, 0
    for row in range(len(results)):
        program, outcome = results[row, 1], results[row, 2]
        for place in range(owners.starts[program], owners.starts[program + 1]):
            owner = owners.members[place]
            if removed[owner]:
                continue
            # A general query that has its core may still have no solution.
            decided = UNSURE if outcome == YES and general[owner] else outcome
            undecided += decided != YES
            match = matches[at]
            match[0], match[1], match[2] = results[row, 0], owner, decided
            match[3], match[4], match[5] = results[row, 3], results[row, 4], programs.code[programs.starts[program] + 1]
            at += 1
    return matches, undecided
