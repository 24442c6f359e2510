"""Which anchors an event may lead to: by its constants, by the texts in its strings, by the classes of its nodes."""

from __future__ import annotations

import numpy as np

from triplewire.matching.kernels import columns, layout
from triplewire.matching.kernels.columns import EVENT_FIRST, EVENT_LAST, FRESH, QUAD_STATE
from triplewire.matching.kernels.index.anchor_keys import anchor_key
from triplewire.matching.kernels.index.automaton import first_output, step
from triplewire.matching.kernels.lineage import first_type, node_of
from triplewire.matching.kernels.machine import fused
from triplewire.matching.kernels.scan.datatypes import OTHER_DATATYPE
from triplewire.matching.kernels.structures import AnchorIndex, EventBatch, Lineage, SegmentArrays, Workspace

_BACKSLASH = 0x5C
_LETTER_U = 0x75
_ESCAPES = np.frombuffer(b"btnfr", np.uint8)
_ESCAPED_BYTES = np.frombuffer(b"\b\t\n\f\r", np.uint8)


@fused
def keys_of_quad(batch: EventBatch, index: AnchorIndex, workspace: Workspace, base: int, quad: int, keys: int) -> int:
    """The anchors that a quad's constants may lead to, as far as `uses` does not rule them out."""
    subject = workspace.constants[batch.terms[3 * quad]]
    predicate = workspace.constants[batch.terms[3 * quad + 1]]
    thing = workspace.constants[batch.terms[3 * quad + 2]]
    subject_uses = index.uses[subject] if subject >= 0 else 0
    predicate_uses = index.uses[predicate] if predicate >= 0 else 0
    thing_uses = index.uses[thing] if thing >= 0 else 0
    if (predicate_uses & thing_uses) >> layout.PREDICATE_OBJECT & 1:
        workspace.keys[keys] = anchor_key(layout.PREDICATE_OBJECT, predicate, thing)
        keys += 1
    if (subject_uses & predicate_uses) >> layout.SUBJECT_PREDICATE & 1:
        workspace.keys[keys] = anchor_key(layout.SUBJECT_PREDICATE, subject, predicate)
        keys += 1
    if subject_uses >> layout.SUBJECT & 1:
        workspace.keys[keys] = anchor_key(layout.SUBJECT, subject, 0)
        keys += 1
    if thing_uses >> layout.OBJECT & 1:
        workspace.keys[keys] = anchor_key(layout.OBJECT, thing, 0)
        keys += 1
    # Quads of one predicate are chained: its anchor is followed once, at the head.
    if predicate_uses >> layout.PREDICATE & 1 and batch.heads[base + workspace.places[predicate]] == quad:
        workspace.keys[keys] = anchor_key(layout.PREDICATE, predicate, 0)
        keys += 1
    return keys


@fused
def keys_of_texts(batch: EventBatch, segment: SegmentArrays, workspace: Workspace, event: int, keys: int) -> int:
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
                if workspace.texts[text] != workspace.serial[0]:
                    workspace.texts[text] = workspace.serial[0]
                    workspace.keys[keys] = anchor_key(layout.SUBSTRING, text, 0)
                    keys += 1
                output = segment.automaton.next_outputs[output]
    return keys


@fused
def _may_hold_text(batch: EventBatch, quad: int) -> bool:
    """Strings, and literals of a type that the kernel does not know."""
    kind = batch.quads[quad, columns.OBJECT_KIND]
    if kind == columns.TYPED:
        return bool(batch.quads[quad, columns.DATATYPE] <= OTHER_DATATYPE)
    return bool(kind == columns.STRING or kind == columns.LANGUAGE or kind == columns.DIRECTED)


@fused
def _unescaped(batch: EventBatch, place: int) -> tuple[int, int]:
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
def keys_of_classes(
    batch: EventBatch, segment: SegmentArrays, lineage: Lineage, workspace: Workspace, event: int, base: int, keys: int
) -> int:
    """Every class that a term of the event belongs to is an anchor: by the taxonomy, and by the event's rdf:type."""
    for term in range(batch.first_term[event + 1] - base):
        node = node_of(batch, lineage, workspace, base, term)
        if node >= 0:
            for place in range(lineage.ancestor_starts[node], lineage.ancestor_starts[node + 1]):
                keys = _key_of_class(segment, workspace, lineage.to_constant[lineage.ancestors[place]], keys)
    quad = first_type(batch, lineage, workspace, base)
    while quad >= 0:
        kind = batch.terms[3 * quad + 2]
        keys = _key_of_class(segment, workspace, workspace.constants[kind], keys)
        node = node_of(batch, lineage, workspace, base, kind)
        if node >= 0:
            for place in range(lineage.super_starts[node], lineage.super_starts[node + 1]):
                keys = _key_of_class(segment, workspace, lineage.to_constant[lineage.supers[place]], keys)
        quad = batch.nexts[quad]
    return keys


@fused
def _key_of_class(segment: SegmentArrays, workspace: Workspace, constant: int, keys: int) -> int:
    """A class is an anchor once an event, however many of its members the event has."""
    if constant < 0 or workspace.classes[constant] == workspace.serial[0]:
        return keys
    workspace.classes[constant] = workspace.serial[0]
    if segment.anchors.uses[constant] >> layout.CLASS_MEMBER & 1:
        workspace.keys[keys] = anchor_key(layout.CLASS_MEMBER, constant, 0)
        keys += 1
    return keys
