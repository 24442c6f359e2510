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
from triplewire.matching.kernels.structures import EventBatch, Lineage, SearchOutput, SegmentArrays, Workspace

RESULTS = 0
VERIFIED = 2


@lean
def search(
    batch: EventBatch,
    segment: SegmentArrays,
    lineage: Lineage,
    workspace: Workspace,
    output: SearchOutput,
    first: int,
    budget: int,
) -> int:
    """Search all events from `first` on; give the event that did not fit into the findings, or their number."""
    for event in range(first, len(batch.events)):
        if batch.events[event, EVENT_REJECTED]:
            continue
        results, words = output.counts[RESULTS], output.counts[SOLUTION_WORDS]
        count = gather(batch, segment, lineage, workspace, event)
        if not _verify(batch, segment, lineage, workspace, output, event, count, budget):
            output.counts[RESULTS], output.counts[SOLUTION_WORDS] = results, words
            return event
    return len(batch.events)


@fused
def _verify(
    batch: EventBatch,
    segment: SegmentArrays,
    lineage: Lineage,
    workspace: Workspace,
    output: SearchOutput,
    event: int,
    count: int,
    budget: int,
) -> bool:
    for index in range(count):
        result, words = output.counts[RESULTS], output.counts[SOLUTION_WORDS]
        if result == len(output.results):
            return False
        program = workspace.candidates[index]
        if segment.programs.stopped[program]:
            continue
        outcome, solutions = solve(batch, segment, lineage, workspace, output, event, program, budget)
        if outcome == NO_ROOM:
            return False
        output.counts[VERIFIED] += 1
        workspace.seen[program, 1] += 1
        if outcome == NO:
            continue
        if solutions == 0:
            output.counts[SOLUTION_WORDS] = words
        row = output.results[result]
        row[0], row[1], row[2], row[3], row[4] = event, program, outcome, words, solutions
        output.counts[RESULTS] = result + 1
    return True


@fused
def gather(batch: EventBatch, segment: SegmentArrays, lineage: Lineage, workspace: Workspace, event: int) -> int:
    """Fill `workspace.candidates` with the programs worth verifying, each once; give their number."""
    workspace.serial[0] += 1
    base = batch.first_term[event]
    _resolve(batch, segment, workspace, event, base)
    workspace.keys[0] = anchor_key(layout.ANY, 0, 0)
    keys = 1
    for quad in range(batch.events[event, EVENT_FIRST], batch.events[event, EVENT_LAST]):
        if batch.quads[quad, QUAD_STATE] == FRESH:
            keys = keys_of_quad(batch, segment.anchors, workspace, base, quad, keys)
    if segment.automaton.fails.size > 1:
        keys = keys_of_texts(batch, segment, workspace, event, keys)
    if lineage.of_constant.size > 0:
        keys = keys_of_classes(batch, segment, lineage, workspace, event, base, keys)
    count = 0
    for place in range(keys):
        anchor = anchor_of(segment.anchors, workspace.keys[place])
        if anchor != NOBODY:
            count = enter_anchor(batch, segment.anchors, workspace, event, base, anchor, count)
    return count


@fused
def _resolve(batch: EventBatch, segment: SegmentArrays, workspace: Workspace, event: int, base: int) -> None:
    """Look up which of the segment's constants the event's terms are."""
    for term in range(batch.first_term[event + 1] - base):
        start, end, key = term_span(batch, batch.origins[base + term])
        constant = find_entry(segment.constants, batch.buffer, start, end, key)
        workspace.constants[term] = constant
        workspace.nodes[term] = UNRESOLVED
        if constant != NOBODY:
            workspace.stamps[constant] = workspace.serial[0]
            workspace.places[constant] = term
