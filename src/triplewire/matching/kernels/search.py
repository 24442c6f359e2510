"""From an event to its matches in one segment: its terms lead to anchors, anchors to groups, guards to candidates.

An entry is reached when its anchor is in the event and its guard is: another constant predicate and object, or a value
inside an interval under a constant predicate. Both are necessary for the program to match, never sufficient: what is
reached is verified by `join`.
"""

from __future__ import annotations

import numpy as np

from triplewire.matching.kernels import columns, layout
from triplewire.matching.kernels.automaton import first_output, step
from triplewire.matching.kernels.bytetable import find_entry
from triplewire.matching.kernels.columns import EVENT_FIRST, EVENT_LAST, EVENT_REJECTED, FRESH, QUAD_STATE
from triplewire.matching.kernels.datatypes import FLOAT, OTHER_DATATYPE
from triplewire.matching.kernels.join import SOLUTION_WORDS, solve
from triplewire.matching.kernels.layout import NO, NO_ROOM, NOBODY
from triplewire.matching.kernels.lineage import UNRESOLVED, first_type, node_of
from triplewire.matching.kernels.localise import term_span
from triplewire.matching.kernels.machine import fold, fused, kernel, lean
from triplewire.matching.kernels.structures import Batch, Findings, Index, Lineage, Room, Segment

RESULTS = 0
VERIFIED = 2

_KEY_BITS = 29
_GOLDEN = -0x61C8864680B583EB
_SINGLE_STEP = 1e-6
LARGE_DIRECTORY = 32

_BACKSLASH = 0x5C
_LETTER_U = 0x75
_ESCAPES = np.frombuffer(b"btnfr", np.uint8)
_ESCAPED_BYTES = np.frombuffer(b"\b\t\n\f\r", np.uint8)


@kernel
def anchor_key(tag: int, a: int, b: int) -> int:
    """One word for an anchor: a tag and up to two constants, each below 2**29."""
    return (int(tag) << (2 * _KEY_BITS)) | (int(a) << _KEY_BITS) | int(b)


@fused
def key_slot(key: int, mask: int) -> int:
    """Where the search for a key begins."""
    return fold(key, _GOLDEN) & mask


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
            keys = _keys_of_quad(batch, segment.anchors, room, base, quad, keys)
    if segment.automaton.fails.size > 1:
        keys = _keys_of_texts(batch, segment, room, event, keys)
    if lineage.of_constant.size > 0:
        keys = _keys_of_classes(batch, segment, lineage, room, event, base, keys)
    count = 0
    for place in range(keys):
        anchor = _anchor(segment.anchors, room.keys[place])
        if anchor != NOBODY:
            count = _enter_anchor(batch, segment.anchors, room, event, base, anchor, count)
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


@fused
def _keys_of_quad(batch: Batch, index: Index, room: Room, base: int, quad: int, keys: int) -> int:
    """The anchors that a quad's constants may lead to, as far as `uses` does not rule them out."""
    subject = room.constants[batch.terms[3 * quad]]
    predicate = room.constants[batch.terms[3 * quad + 1]]
    thing = room.constants[batch.terms[3 * quad + 2]]
    subject_uses = index.uses[subject] if subject >= 0 else 0
    predicate_uses = index.uses[predicate] if predicate >= 0 else 0
    thing_uses = index.uses[thing] if thing >= 0 else 0
    if (predicate_uses & thing_uses) >> layout.PREDICATE_OBJECT & 1:
        room.keys[keys] = anchor_key(layout.PREDICATE_OBJECT, predicate, thing)
        keys += 1
    if (subject_uses & predicate_uses) >> layout.SUBJECT_PREDICATE & 1:
        room.keys[keys] = anchor_key(layout.SUBJECT_PREDICATE, subject, predicate)
        keys += 1
    if subject_uses >> layout.SUBJECT & 1:
        room.keys[keys] = anchor_key(layout.SUBJECT, subject, 0)
        keys += 1
    if thing_uses >> layout.OBJECT & 1:
        room.keys[keys] = anchor_key(layout.OBJECT, thing, 0)
        keys += 1
    # Quads of one predicate are chained: its anchor is followed once, at the head.
    if predicate_uses >> layout.PREDICATE & 1 and batch.heads[base + room.places[predicate]] == quad:
        room.keys[keys] = anchor_key(layout.PREDICATE, predicate, 0)
        keys += 1
    return keys


@fused
def _keys_of_texts(batch: Batch, segment: Segment, room: Room, event: int, keys: int) -> int:
    """Run every string of the event through the automaton; each text found is an anchor, once an event."""
    for quad in range(batch.events[event, EVENT_FIRST], batch.events[event, EVENT_LAST]):
        if batch.quads[quad, QUAD_STATE] != FRESH or not _may_hold_text(batch, quad):
            continue
        state, place, end = 0, batch.quads[quad, columns.LEXICAL_START], batch.quads[quad, columns.LEXICAL_END]
        while place < end:
            byte, place = _unescaped(batch, place)
            state = step(segment.automaton, state, byte)
            output = first_output(segment.automaton, state)
            while output > 0:
                text = segment.automaton.outputs[output]
                if room.texts[text] != room.serial[0]:
                    room.texts[text] = room.serial[0]
                    room.keys[keys] = anchor_key(layout.SUBSTRING, text, 0)
                    keys += 1
                output = segment.automaton.next_outputs[output]
    return keys


@fused
def _may_hold_text(batch: Batch, quad: int) -> bool:
    """Strings, and literals of a type that the kernel does not know."""
    kind = batch.quads[quad, columns.OBJECT_KIND]
    if kind == columns.TYPED:
        return bool(batch.quads[quad, columns.DATATYPE] <= OTHER_DATATYPE)
    return bool(kind == columns.STRING or kind == columns.LANGUAGE or kind == columns.DIRECTED)


@fused
def _unescaped(batch: Batch, place: int) -> tuple[int, int]:
    """The byte that a canonical lexical form stands for at a place, and where the next one begins."""
    byte = batch.buffer[place]
    if byte != _BACKSLASH:
        return byte, place + 1
    letter = batch.buffer[place + 1]
    if letter == _LETTER_U:
        # Canonical forms write only control characters this way: the last two digits say which.
        return 16 * _digit(batch.buffer[place + 4]) + _digit(batch.buffer[place + 5]), place + 6
    for index in range(len(_ESCAPES)):
        if letter == _ESCAPES[index]:
            return _ESCAPED_BYTES[index], place + 2
    return letter, place + 2


@fused
def _digit(byte: int) -> int:
    return byte - 48 if byte < 58 else (byte | 32) - 87


@fused
def _keys_of_classes(
    batch: Batch, segment: Segment, lineage: Lineage, room: Room, event: int, base: int, keys: int
) -> int:
    """Every class that a term of the event belongs to is an anchor: by the taxonomy, and by the event's rdf:type."""
    for term in range(batch.first_term[event + 1] - base):
        node = node_of(batch, lineage, room, base, term)
        if node >= 0:
            for place in range(lineage.ancestor_starts[node], lineage.ancestor_starts[node + 1]):
                keys = _key_of_class(segment, room, lineage.to_constant[lineage.ancestors[place]], keys)
    quad = first_type(batch, lineage, room, base)
    while quad >= 0:
        kind = batch.terms[3 * quad + 2]
        keys = _key_of_class(segment, room, room.constants[kind], keys)
        node = node_of(batch, lineage, room, base, kind)
        if node >= 0:
            for place in range(lineage.super_starts[node], lineage.super_starts[node + 1]):
                keys = _key_of_class(segment, room, lineage.to_constant[lineage.supers[place]], keys)
        quad = batch.nexts[quad]
    return keys


@fused
def _key_of_class(segment: Segment, room: Room, constant: int, keys: int) -> int:
    """A class is an anchor once an event, however many of its members the event has."""
    if constant < 0 or room.classes[constant] == room.serial[0]:
        return keys
    room.classes[constant] = room.serial[0]
    if segment.anchors.uses[constant] >> layout.CLASS_MEMBER & 1:
        room.keys[keys] = anchor_key(layout.CLASS_MEMBER, constant, 0)
        keys += 1
    return keys


@fused
def _anchor(index: Index, key: int) -> int:
    mask = index.slots.size - 1
    at = key_slot(key, mask)
    while index.slots[at] != 0:
        if index.keys[index.slots[at] - 1] == key:
            return int(index.slots[at] - 1)
        at = (at + 1) & mask
    return NOBODY


@fused
def _enter_anchor(batch: Batch, index: Index, room: Room, event: int, base: int, anchor: int, count: int) -> int:
    """Add the entries of an anchor whose guards the event meets."""
    first, last = index.group_starts[anchor], index.group_starts[anchor + 1]
    if last - first > LARGE_DIRECTORY:
        groups = _groups_of_event(batch, index, room, event, base, first, last)
    else:
        groups = last - first
        for place in range(groups):
            room.groups[place] = first + place
    for place in range(groups):
        count = _enter_group(batch, index, room, event, base, room.groups[place], count)
    return count


@fused
def _groups_of_event(batch: Batch, index: Index, room: Room, event: int, base: int, first: int, last: int) -> int:
    """In a large directory, list only the groups of predicates that the event has: groups lie sorted by predicate."""
    groups = 0
    while first < last and index.group_predicates[first] < 0:
        room.groups[groups] = first
        groups += 1
        first += 1
    for term in range(batch.first_term[event + 1] - base):
        predicate = room.constants[term]
        if predicate < 0 or batch.heads[base + term] < 0:
            continue
        group = _first_at_least(index, first, last, predicate)
        while group < last and index.group_predicates[group] == predicate:
            room.groups[groups] = group
            groups += 1
            group += 1
    return groups


@fused
def _first_at_least(index: Index, low: int, high: int, predicate: int) -> int:
    while low < high:
        middle = (low + high) >> 1
        if index.group_predicates[middle] < predicate:
            low = middle + 1
        else:
            high = middle
    return low


@fused
def _enter_group(batch: Batch, index: Index, room: Room, event: int, base: int, group: int, count: int) -> int:
    guard, predicate = index.group_guards[group], index.group_predicates[group]
    if guard == layout.UNGUARDED:
        for entry in range(index.entry_starts[group], index.entry_starts[group + 1]):
            count = _nominate(room, index.entries[entry], count)
        return count
    if predicate != layout.EVERY_PREDICATE and room.stamps[predicate] != room.serial[0]:
        return count
    chained = predicate != layout.EVERY_PREDICATE
    quad = batch.heads[base + room.places[predicate]] if chained else batch.events[event, EVENT_FIRST]
    while quad >= 0:
        if guard != layout.HAS_OBJECT:
            count = _with_value(batch, index, room, group, quad, count)
        else:
            count = _with_object(index, room, group, room.constants[batch.terms[3 * quad + 2]], count)
        quad = batch.nexts[quad] if chained else _next_row(batch, event, quad)
    return count


@fused
def _next_row(batch: Batch, event: int, quad: int) -> int:
    return quad + 1 if quad + 1 < batch.events[event, EVENT_LAST] else NOBODY


@fused
def _with_object(index: Index, room: Room, group: int, thing: int, count: int) -> int:
    """Entries of a group lie sorted by object: find the run of this one."""
    if thing < 0:
        return count
    low, end = index.entry_starts[group], index.entry_starts[group + 1]
    shift = index.value_starts[group] - low
    high = end
    while low < high:
        middle = (low + high) >> 1
        if index.objects[middle + shift] < thing:
            low = middle + 1
        else:
            high = middle
    while low < end and index.objects[low + shift] == thing:
        count = _nominate(room, index.entries[low], count)
        low += 1
    return count


@fused
def _with_value(batch: Batch, index: Index, room: Room, group: int, quad: int, count: int) -> int:
    """Entries whose interval touches the quad's value, by descent through the implicit tree of `intervals`."""
    value_low, value_high = _reach(batch, quad, index.group_guards[group])
    start = index.entry_starts[group]
    shift = index.value_starts[group] - start
    stack = room.stack
    stack[0], stack[1] = start, index.entry_starts[group + 1]
    depth = 2
    while depth > 0:
        depth -= 2
        low, high = stack[depth], stack[depth + 1]
        if low >= high:
            continue
        middle = (low + high) >> 1
        if index.tops[middle + shift] < value_low:
            continue
        stack[depth], stack[depth + 1] = low, middle
        depth += 2
        if index.lows[middle + shift] <= value_high:
            if index.highs[middle + shift] >= value_low:
                count = _nominate(room, index.entries[middle], count)
            stack[depth], stack[depth + 1] = middle + 1, high
            depth += 2
    return count


@fused
def _reach(batch: Batch, quad: int, guard: int) -> tuple[float, float]:
    """The values that an object may have: none, a point, the neighbourhood of a single, or anything if undecided."""
    value, state = batch.numbers[quad], batch.quads[quad, columns.NUMBER_STATE]
    if guard == layout.HAS_MOMENT:
        return _reach_of_moment(batch, quad, state)
    if state == columns.NOT_A_NUMBER or state >= columns.MOMENT:
        return np.inf, -np.inf
    if state == columns.UNDECIDED:
        return -np.inf, np.inf
    if batch.quads[quad, columns.DATATYPE] == FLOAT and np.isfinite(value):
        width = abs(value) * _SINGLE_STEP
        return value - width, value + width
    return value, value


@fused
def _reach_of_moment(batch: Batch, quad: int, state: int) -> tuple[float, float]:
    """A point for a date that was read; anything for a literal that may be a date in an odd spelling."""
    value = batch.numbers[quad]
    if state >= columns.MOMENT:
        return value, value
    odd = batch.quads[quad, columns.OBJECT_KIND] == columns.TYPED and state == columns.NOT_A_NUMBER
    return (-np.inf, np.inf) if odd else (np.inf, -np.inf)


@fused
def _nominate(room: Room, program: int, count: int) -> int:
    if room.seen[program, 0] == room.serial[0]:
        return count
    room.seen[program, 0] = room.serial[0]
    room.candidates[count] = program
    return count + 1
