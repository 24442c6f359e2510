"""All solutions of one program on one event: backtracking over its patterns in their order."""

from __future__ import annotations

from triplewire.matching.kernels.columns import EVENT_FIRST, EVENT_LAST, FRESH, QUAD_STATE
from triplewire.matching.kernels.layout import HEADER, NO, NO_ROOM, NOBODY, OVER_BUDGET, UNSURE, YES
from triplewire.matching.kernels.machine import fused
from triplewire.matching.kernels.search.conditions import satisfied
from triplewire.matching.kernels.structures import EventBatch, Lineage, SearchOutput, SegmentArrays, Workspace

SOLUTION_WORDS = 1  # its place in SearchOutput.counts


@fused
def solve(
    batch: EventBatch,
    segment: SegmentArrays,
    lineage: Lineage,
    workspace: Workspace,
    output: SearchOutput,
    event: int,
    program: int,
    budget: int,
) -> tuple[int, int]:
    """The outcome and the number of solutions, which are appended to the findings."""
    code, start = segment.programs.code, segment.programs.starts[program]
    patterns, graphs = code[start], code[start + 2]
    if not _graphs_fit(segment, workspace, start, patterns, graphs):
        return NO, 0
    depth, count = 0, 0
    workspace.cursors[0] = _enter(batch, segment, workspace, event, start) if patterns else 0
    while depth >= 0:
        quad = workspace.cursors[depth]
        if quad == NOBODY:
            depth -= 1
            continue
        at = start + HEADER + 3 * depth
        # Without patterns there is one solution, the empty one, and nothing to go on with.
        workspace.cursors[depth] = _following(batch, segment, event, at, quad) if patterns else NOBODY
        budget -= 1
        if budget < 0:
            return OVER_BUDGET, 0
        if patterns and not _fits(batch, segment, workspace, at, quad):
            continue
        if depth + 1 < patterns:
            depth += 1
            workspace.cursors[depth] = _enter(batch, segment, workspace, event, at + 3 - HEADER)
            continue
        outcome, added = _keep(batch, segment, lineage, workspace, output, event, program)
        if outcome in (UNSURE, NO_ROOM):
            return outcome, 0
        count += added
        if count and segment.programs.first_only[program]:
            break
    return (YES if count else NO), count


@fused
def _graphs_fit(segment: SegmentArrays, workspace: Workspace, start: int, patterns: int, graphs: int) -> bool:
    """Bind the graph variables to the event's IRI, which is term 0, and compare the graph constants with it."""
    code = segment.programs.code
    at = start + HEADER + 3 * patterns
    for index in range(graphs):
        word = code[at + index]
        if word >= 0:
            if workspace.constants[0] != word:
                return False
        else:
            workspace.bindings[(-1 - word) >> 1] = 0
    return True


@fused
def _enter(batch: EventBatch, segment: SegmentArrays, workspace: Workspace, event: int, start: int) -> int:
    """The first quad worth trying for the pattern behind a header at `start`."""
    word = segment.programs.code[start + HEADER + 1]
    base = batch.first_term[event]
    if word >= 0:
        return (
            int(batch.heads[base + workspace.places[word]]) if workspace.stamps[word] == workspace.serial[0] else NOBODY
        )
    if _visits_all(segment, start + HEADER):
        return _next_fresh(batch, event, batch.events[event, EVENT_FIRST])
    return int(batch.heads[base + workspace.bindings[(-1 - word) >> 1]])


@fused
def _following(batch: EventBatch, segment: SegmentArrays, event: int, at: int, quad: int) -> int:
    if _visits_all(segment, at):
        return _next_fresh(batch, event, quad + 1)
    return int(batch.nexts[quad])


@fused
def _visits_all(segment: SegmentArrays, at: int) -> bool:
    """Whether the predicate of a pattern is not known when it is visited: it is bound there, or by its own subject."""
    subject, predicate = segment.programs.code[at], segment.programs.code[at + 1]
    if predicate >= 0:
        return False
    return bool((-1 - predicate) & 1 or (subject < 0 and (-1 - subject) == (-1 - predicate) + 1))


@fused
def _next_fresh(batch: EventBatch, event: int, quad: int) -> int:
    last = batch.events[event, EVENT_LAST]
    while quad < last and batch.quads[quad, QUAD_STATE] != FRESH:
        quad += 1
    return int(quad) if quad < last else NOBODY


@fused
def _fits(batch: EventBatch, segment: SegmentArrays, workspace: Workspace, at: int, quad: int) -> bool:
    """Whether a quad fits the pattern at `at`, under what is bound; binds what the pattern binds."""
    code = segment.programs.code
    for position in range(3):
        word = code[at + position]
        term = batch.terms[3 * quad + position]
        if word >= 0:
            if workspace.constants[term] != word:
                return False
        elif (-1 - word) & 1:
            workspace.bindings[(-1 - word) >> 1] = term
        elif workspace.bindings[(-1 - word) >> 1] != term:
            return False
    return True


@fused
def _keep(
    batch: EventBatch,
    segment: SegmentArrays,
    lineage: Lineage,
    workspace: Workspace,
    output: SearchOutput,
    event: int,
    program: int,
) -> tuple[int, int]:
    """Check the constraint on a full binding and write the solution down."""
    code, start = segment.programs.code, segment.programs.starts[program]
    patterns, variables, graphs, alternatives = code[start], code[start + 1], code[start + 2], code[start + 3]
    base = batch.first_term[event]
    at = start + HEADER + 3 * patterns + graphs
    outcome = satisfied(batch, segment, lineage, workspace, base, at, alternatives)
    if outcome != YES:
        return outcome, 0
    words = output.counts[SOLUTION_WORDS]
    if words + variables > output.solutions.size:
        return NO_ROOM, 0
    for variable in range(variables):
        output.solutions[words + variable] = batch.origins[base + workspace.bindings[variable]]
    output.counts[SOLUTION_WORDS] = words + variables
    return YES, 1
