"""From an event to its matches in one segment: its terms lead to anchors, anchors to groups, guards to candidates.

An entry is reached when its anchor is in the event and its guard is: another constant predicate and object, or a value
inside an interval under a constant predicate. Both are necessary for the program to match, never sufficient: what is
reached is verified by `join`.
"""

from __future__ import annotations

from triplewire.matching.kernels import layout
from triplewire.matching.kernels.bytetable import find_entry
from triplewire.matching.kernels.columns import EVENT_FIRST, EVENT_LAST, EVENT_REJECTED, FRESH, QUAD_STATE
from triplewire.matching.kernels.index.anchor_keys import anchor_key
from triplewire.matching.kernels.layout import NO, NO_ROOM, NOBODY
from triplewire.matching.kernels.lineage import UNRESOLVED
from triplewire.matching.kernels.machine import fused, lean
from triplewire.matching.kernels.search.event_keys import keys_of_classes, keys_of_quad, keys_of_texts
from triplewire.matching.kernels.search.groups import anchor_of, enter_anchor
from triplewire.matching.kernels.search.join import SOLUTION_WORDS, solve
from triplewire.matching.kernels.search.term_numbers import term_span
from triplewire.matching.kernels.structures import Batch, Findings, Lineage, Room, Segment

RESULTS = 0
VERIFIED = 2


@lean
def search(
    batch: Batch, segment: Segment, lineage: Lineage, room: Room, findings: Findings, first: int, budget: int
) -> int:
    """Search all events from `first` on; give the event that did not fit into the findings, or their number."""
    for event in range(first, len(batch.events)):
        if batch.events[event, EVENT_REJECTED]:
            continue
        results, words = findings.counts[RESULTS], findings.counts[SOLUTION_WORDS]
        count = gather(batch, segment, lineage, room, event)
        if not _verify(batch, segment, lineage, room, findings, event, count, budget):
            findings.counts[RESULTS], findings.counts[SOLUTION_WORDS] = results, words
            return event
    return len(batch.events)


@fused
def _verify(
    batch: Batch,
    segment: Segment,
    lineage: Lineage,
    room: Room,
    findings: Findings,
    event: int,
    count: int,
    budget: int,
) -> bool:
    for index in range(count):
        result, words = findings.counts[RESULTS], findings.counts[SOLUTION_WORDS]
        if result == len(findings.results):
            return False
        program = room.candidates[index]
        if segment.programs.stopped[program]:
            continue
        outcome, solutions = solve(batch, segment, lineage, room, findings, event, program, budget)
        if outcome == NO_ROOM:
            return False
        findings.counts[VERIFIED] += 1
        room.seen[program, 1] += 1
        if outcome == NO:
            continue
        if solutions == 0:
            findings.counts[SOLUTION_WORDS] = words
        row = findings.results[result]
        row[0], row[1], row[2], row[3], row[4] = event, program, outcome, words, solutions
        findings.counts[RESULTS] = result + 1
    return True


@fused
def gather(batch: Batch, segment: Segment, lineage: Lineage, room: Room, event: int) -> int:
    """Fill `room.candidates` with the programs worth verifying, each once; give their number."""
    room.serial[0] += 1
    base = batch.first_term[event]
    _resolve(batch, segment, room, event, base)
    room.keys[0] = anchor_key(layout.ANY, 0, 0)
    keys = 1
    for quad in range(batch.events[event, EVENT_FIRST], batch.events[event, EVENT_LAST]):
        if batch.quads[quad, QUAD_STATE] == FRESH:
            keys = keys_of_quad(batch, segment.anchors, room, base, quad, keys)
    if segment.automaton.fails.size > 1:
        keys = keys_of_texts(batch, segment, room, event, keys)
    if lineage.of_constant.size > 0:
        keys = keys_of_classes(batch, segment, lineage, room, event, base, keys)
    count = 0
    for place in range(keys):
        anchor = anchor_of(segment.anchors, room.keys[place])
        if anchor != NOBODY:
            count = enter_anchor(batch, segment.anchors, room, event, base, anchor, count)
    return count


@fused
def _resolve(batch: Batch, segment: Segment, room: Room, event: int, base: int) -> None:
    """Look up which of the segment's constants the event's terms are."""
    for term in range(batch.first_term[event + 1] - base):
        start, end, key = term_span(batch, batch.origins[base + term])
        constant = find_entry(segment.constants, batch.buffer, start, end, key)
        room.constants[term] = constant
        room.nodes[term] = UNRESOLVED
        if constant != NOBODY:
            room.stamps[constant] = room.serial[0]
            room.places[constant] = term
