"""Many segments or parts become one: live subscriptions are kept, equal constants, texts and programs written once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from triplewire.matching.kernels import layout
from triplewire.matching.kernels.bytetable import hash_entries, number_distinct, slot_count
from triplewire.matching.kernels.layout import HEADER, ROW
from triplewire.matching.kernels.machine import Table, kernel
from triplewire.matching.kernels.structures import Flags, Words
from triplewire.matching.segments.parts import CompiledPart
from triplewire.matching.segments.records import Strings, SubscriptionRecords
from triplewire.matching.segments.segment import Segment
from triplewire.matching.segments.shapes import SolutionShape
from triplewire.rdf.terms import RDF

_TYPE = str(RDF["type"]).encode()

_Values = NDArray[Any]


def merged(segments: Sequence[Segment]) -> tuple[SubscriptionRecords, list[SolutionShape]]:
    """The records of all live subscriptions, in the order of adding."""
    return joined([CompiledPart(_live(segment), segment.shapes) for segment in segments])


def joined(compiled: Sequence[CompiledPart]) -> tuple[SubscriptionRecords, list[SolutionShape]]:
    """The records of all parts, in their order."""
    parts = [part.records for part in compiled]
    shapes, shape_maps = _numbered([part.shapes for part in compiled])
    constants, constant_maps = _distinct([part.constants for part in parts])
    texts, text_maps = _distinct([part.texts for part in parts])
    labels, label_maps = _distinct([part.labels for part in parts])
    codes = [
        _translated(part.code, part.program_starts, constant_map, text_map)
        for part, constant_map, text_map in zip(parts, constant_maps, text_maps, strict=True)
    ]
    programs, program_maps = _distinct(
        [Strings(code.view(np.uint8), 4 * part.program_starts) for code, part in zip(codes, parts, strict=True)]
    )
    result = SubscriptionRecords(
        constants,
        texts,
        code=programs.arena.view(np.int32),
        program_starts=programs.offsets // 4,
        link_starts=_joined_offsets([part.link_starts for part in parts]),
        links=_mapped([part.links for part in parts], program_maps),
        ids=_concatenated([part.ids for part in parts]),
        sources=_concatenated([part.sources for part in parts]),
        labels=labels,
        label_of=_mapped([part.label_of for part in parts], label_maps),
        shape_of=_mapped([part.shape_of for part in parts], shape_maps),
        serials=np.concatenate([part.serials for part in parts]),
    )
    return result, shapes


def _live(segment: Segment) -> SubscriptionRecords:
    """The records of live subscriptions, without the programs and constants that only others used."""
    records, keep = segment.records, segment.removed == 0
    if keep.all():
        return records
    subscriptions = np.flatnonzero(keep)
    links, link_starts = _selected(records.links, records.link_starts, subscriptions)
    used, used_by = np.unique(links, return_inverse=True)
    code, program_starts = _selected(records.code, records.program_starts, used.astype(np.int64))
    constants = np.zeros(records.constants.offsets.size - 1, np.uint8)
    texts = np.zeros(records.texts.offsets.size - 1, np.uint8)
    _mark(code, program_starts, constants, texts)
    # Class tests read the event's rdf:type triples by this constant, which no row of theirs mentions.
    constants[[number for number in (segment.number_of_constant(_TYPE),) if number is not None]] = 1
    kept_constants, constant_map = _renumbered(records.constants, constants)
    kept_texts, text_map = _renumbered(records.texts, texts)
    return SubscriptionRecords(
        kept_constants,
        kept_texts,
        code=_translated(code, program_starts, constant_map, text_map),
        program_starts=program_starts,
        link_starts=link_starts,
        links=used_by.astype(np.int32),
        ids=_strings(records.ids, subscriptions),
        sources=_strings(records.sources, subscriptions),
        labels=records.labels,
        label_of=records.label_of[subscriptions],
        shape_of=records.shape_of[subscriptions],
        serials=records.serials[subscriptions],
    )


def _selected(values: _Values, starts: Table, chosen: Table) -> tuple[_Values, Table]:
    """The runs of `values` that belong to the chosen owners, and where each of them starts now."""
    new_starts = np.concatenate(([0], np.cumsum(starts[chosen + 1] - starts[chosen]))).astype(np.int64)
    result = np.empty(new_starts[-1], values.dtype)
    _copy_runs(values, starts, chosen, new_starts, result)
    return result, new_starts


@kernel
def _copy_runs(values: _Values, starts: Table, chosen: Table, new_starts: Table, result: _Values) -> None:
    """A run at a time: as numbers of all elements, the choice would take sixteen times what is chosen."""
    for run in range(chosen.size):
        start = starts[chosen[run]]
        length = new_starts[run + 1] - new_starts[run]
        result[new_starts[run] : new_starts[run + 1]] = values[start : start + length]


def _strings(strings: Strings, chosen: Table) -> Strings:
    return Strings(*_selected(strings.arena, strings.offsets, chosen))


def _renumbered(strings: Strings, keep: Flags) -> tuple[Strings, Words]:
    """The kept strings, and the new number of each old one."""
    numbers = (np.cumsum(keep) - 1).astype(np.int32)
    return _strings(strings, np.flatnonzero(keep)), numbers


def _concatenated(parts: Sequence[Strings]) -> Strings:
    arena = np.concatenate([part.arena for part in parts])
    return Strings(arena, _joined_offsets([part.offsets for part in parts]))


def _joined_offsets(parts: Sequence[Table]) -> Table:
    lengths = np.concatenate([np.diff(part) for part in parts])
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)


def _mapped(parts: Sequence[Words], maps: Sequence[Words]) -> Words:
    return np.concatenate([mapping[part] for part, mapping in zip(parts, maps, strict=True)]).astype(np.int32)


def _numbered(parts: Sequence[list[SolutionShape]]) -> tuple[list[SolutionShape], list[Words]]:
    numbers: dict[SolutionShape, int] = {}
    maps = [np.array([numbers.setdefault(s, len(numbers)) for s in part], np.int32) for part in parts]
    return list(numbers), maps


def _distinct(parts: Sequence[Strings]) -> tuple[Strings, list[Words]]:
    """The different strings among all parts, and the number of each part's own."""
    every = _concatenated(parts)
    hashes = hash_entries(every.arena, every.offsets, 0)
    numbers = np.empty(hashes.size, np.int32)
    firsts = np.empty(hashes.size, np.int64)
    slots = np.zeros(slot_count(hashes.size), np.int32)
    count = number_distinct(every.arena, every.offsets, hashes, slots, numbers, firsts)
    ends = np.cumsum([part.offsets.size - 1 for part in parts])
    return _strings(every, firsts[:count]), np.split(numbers, ends[:-1])


@kernel
def _mark(code: Words, starts: Table, constants: Flags, texts: Flags) -> None:
    """Mark the constants and texts that some programs use."""
    for program in range(starts.size - 1):
        at = starts[program]
        terms = 3 * code[at] + code[at + 2]
        alternatives = code[at + 3]
        at += HEADER
        for place in range(at, at + terms):
            if code[place] >= 0:
                constants[code[place]] = 1
        at += terms
        for _ in range(alternatives):
            for row in range(code[at]):
                _mark_row(code, at + 1 + row * ROW, constants, texts)
            at += 1 + code[at] * ROW


@kernel
def _mark_row(code: Words, at: int, constants: Flags, texts: Flags) -> None:
    kind = row_operand(code, at)
    if kind == layout.TERM:
        constants[code[at + 2]] = 1
    elif kind == layout.TEXT:
        texts[code[at + 2]] = 1


@kernel
def row_operand(code: Words, at: int) -> int:
    """TERM where a row's operand is a constant, TEXT where it is a text, 0 where it is neither."""
    operation = code[at] & 15
    if operation == layout.OPERAND:
        operation = code[at + 1]
    if operation == layout.TERM or operation == layout.CLASS:
        return layout.TERM
    return layout.TEXT if operation == layout.TEXT else 0


def _translated(code: Words, starts: Table, constants: Words, texts: Words) -> Words:
    """The same programs under other numbers for constants and texts."""
    translated = code.copy()
    _translate(translated, starts, constants, texts)
    return translated


@kernel
def _translate(code: Words, starts: Table, constants: Words, texts: Words) -> None:
    for program in range(starts.size - 1):
        at = starts[program]
        terms = 3 * code[at] + code[at + 2]
        alternatives = code[at + 3]
        at += HEADER
        for place in range(at, at + terms):
            if code[place] >= 0:
                code[place] = constants[code[place]]
        at += terms
        for _ in range(alternatives):
            for row in range(code[at]):
                place = at + 1 + row * ROW
                kind = row_operand(code, place)
                if kind == layout.TERM:
                    code[place + 2] = constants[code[place + 2]]
                elif kind == layout.TEXT:
                    code[place + 2] = texts[code[place + 2]]
            at += 1 + code[at] * ROW
