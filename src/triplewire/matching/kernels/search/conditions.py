"""What a row of a program comes to for a binding: YES, NO, or UNSURE where only exact evaluation can tell.

The kernel decides what float64, byte strings and numbered terms decide with certainty. Everything else (dates, ties
between rounded numbers, single precision, tests that must fail on odd types) is UNSURE, and the candidate goes to the
exact path.
"""

from __future__ import annotations

import numpy as np

from triplewire.matching.kernels import columns, layout
from triplewire.matching.kernels.hashing import same_bytes
from triplewire.matching.kernels.layout import NO, UNSURE, YES
from triplewire.matching.kernels.lineage import class_holds
from triplewire.matching.kernels.machine import double_at, fused
from triplewire.matching.kernels.scan.datatypes import FLOAT, OTHER_DATATYPE, is_integer_type
from triplewire.matching.kernels.structures import EventBatch, Lineage, SegmentArrays, Words, Workspace

# Outcomes of a test. NOT_TRUE: false or error, and nobody needs to know which, unless it must be false.
FALSE, TRUE, DOUBT, NOT_TRUE, ERROR = 0, 1, 2, 3, 4

OPERAND_ROUNDED = 1
OPERAND_SINGLE = 2

_OBJECT = 2
_FOURTEEN_HOURS = 14 * 3600.0
_SINGLE_STEP = 1e-6  # beyond the spacing of single precision numbers, relative to their size


@fused
def satisfied(
    batch: EventBatch,
    segment: SegmentArrays,
    lineage: Lineage,
    workspace: Workspace,
    base: int,
    at: int,
    alternatives: int,
) -> int:
    """YES if one alternative's rows all hold; `at` is where the alternatives begin in the code."""
    code = segment.programs.code
    best = NO
    for _ in range(alternatives):
        rows = code[at]
        found = _alternative(batch, segment, lineage, workspace, base, at + 1, rows)
        if found == YES:
            return YES
        if found == UNSURE:
            best = UNSURE
        at += 1 + rows * layout.ROW
    return best


@fused
def _alternative(
    batch: EventBatch, segment: SegmentArrays, lineage: Lineage, workspace: Workspace, base: int, at: int, rows: int
) -> int:
    code = segment.programs.code
    result = YES
    row = 0
    while row < rows:
        place = at + row * layout.ROW
        outcome = _outcome(batch, segment, lineage, workspace, base, place)
        wanted = FALSE if code[place] & layout.MUST_FAIL else TRUE
        step = _met(outcome, wanted)
        if step == NO:
            return NO
        if step == UNSURE:
            result = UNSURE
        row += 1
        if code[place] & 15 == layout.MEMBER:
            row += code[place + 2]
    return result


@fused
def _met(outcome: int, wanted: int) -> int:
    if outcome == DOUBT or (outcome == NOT_TRUE and wanted == FALSE):
        return UNSURE
    return YES if outcome == wanted else NO


@fused
def _outcome(
    batch: EventBatch, segment: SegmentArrays, lineage: Lineage, workspace: Workspace, base: int, at: int
) -> int:
    code = segment.programs.code
    operation = code[at] & 15
    if operation == layout.EXACT:
        return DOUBT
    term = workspace.bindings[code[at + 1]]
    if operation == layout.NUMBER:
        return _against_number(batch, base, term, code, at)
    if operation == layout.MOMENT:
        return _against_moment(batch, base, term, code, at)
    if operation == layout.TERM:
        return _against_term(batch, workspace, base, term, code, at)
    if operation == layout.VARIABLES:
        return _against_variable(batch, base, term, workspace.bindings[code[at + 2]], code[at + 4])
    if operation == layout.MEMBER:
        return _among(batch, workspace, base, term, code, at)
    if operation == layout.TEXT:
        return _text(batch, segment, base, term, code[at + 2], code[at + 4])
    if operation == layout.CLASS:
        return (
            TRUE if class_holds(batch, segment, lineage, workspace, base, term, code[at + 2], code[at + 4]) else FALSE
        )
    return _integer(batch, base, term)


@fused
def kind_of(batch: EventBatch, base: int, term: int) -> int:
    """A term's kind, as the scanner's OBJECT_KIND."""
    origin = batch.origins[base + term]
    if origin & 3 == _OBJECT:
        return int(batch.quads[origin >> 2, columns.OBJECT_KIND])
    start = batch.quads[origin >> 2, 3 * (origin & 3)]
    return columns.BLANK if batch.buffer[start] == 95 else columns.IRI


@fused
def number_state(batch: EventBatch, base: int, term: int) -> int:
    """A term's NUMBER_STATE, where a date is no number; subjects, predicates and graphs are none either."""
    state = value_state(batch, base, term)
    return state if state < columns.MOMENT else columns.NOT_A_NUMBER


@fused
def value_state(batch: EventBatch, base: int, term: int) -> int:
    """A term's NUMBER_STATE as the scanner has it."""
    origin = batch.origins[base + term]
    return int(batch.quads[origin >> 2, columns.NUMBER_STATE]) if origin & 3 == _OBJECT else columns.NOT_A_NUMBER


@fused
def _is_single(batch: EventBatch, base: int, term: int) -> bool:
    return bool(batch.quads[batch.origins[base + term] >> 2, columns.DATATYPE] == FLOAT)


@fused
def _against_number(batch: EventBatch, base: int, term: int, code: Words, at: int) -> int:
    detail = code[at + 4]
    comparator, flags = detail & 255, detail >> 8
    state = number_state(batch, base, term)
    if state == columns.NOT_A_NUMBER:
        return _odd(comparator)
    rounded = state == columns.ROUNDED or flags & OPERAND_ROUNDED != 0
    single = flags & OPERAND_SINGLE != 0 or _is_single(batch, base, term)
    value = batch.numbers[batch.origins[base + term] >> 2]
    if state == columns.UNDECIDED:
        return DOUBT
    return _compare(value, double_at(code, at + 2), comparator, rounded, single)


@fused
def _against_moment(batch: EventBatch, base: int, term: int, code: Words, at: int) -> int:
    """A date against one of the same type. Where only one has a zone, fourteen hours either way decide nothing."""
    detail = code[at + 4]
    comparator, state = detail & 255, value_state(batch, base, term)
    quad = batch.origins[base + term] >> 2
    if state < columns.MOMENT or batch.quads[quad, columns.DATATYPE] != detail >> 12:
        return _no_such_moment(batch, base, term, comparator)
    value, operand = batch.numbers[quad], double_at(code, at + 2)
    zoned = detail & layout.MOMENT_IS_ZONED != 0
    if zoned != (state == columns.ZONED) and abs(value - operand) <= _FOURTEEN_HOURS:
        return DOUBT
    return TRUE if _ordered(value, operand, comparator) else FALSE


@fused
def _no_such_moment(batch: EventBatch, base: int, term: int, comparator: int) -> int:
    """Plain terms and numbers have no order with dates; what else there is may be a date that is spelled oddly."""
    if _is_plain(kind_of(batch, base, term)) or number_state(batch, base, term) != columns.NOT_A_NUMBER:
        return _odd(comparator)
    return DOUBT


@fused
def _odd(comparator: int) -> int:
    """Values of two kinds: order is an error, equality depends on the kinds."""
    if comparator == layout.EQUAL:
        return NOT_TRUE
    return DOUBT if comparator == layout.NOT_EQUAL else ERROR


@fused
def _compare(a: float, b: float, comparator: int, rounded: bool, single: bool) -> int:
    if np.isnan(a) or np.isnan(b):
        return DOUBT
    if a == b and rounded:
        return DOUBT
    if single and abs(a - b) <= _SINGLE_STEP * max(abs(a), abs(b)):
        return DOUBT
    return TRUE if _ordered(a, b, comparator) else FALSE


@fused
def _ordered(a: float, b: float, comparator: int) -> bool:
    if comparator == layout.EQUAL:
        return a == b
    if comparator == layout.NOT_EQUAL:
        return a != b
    if comparator == layout.LESS:
        return a < b
    if comparator == layout.AT_MOST:
        return a <= b
    if comparator == layout.GREATER:
        return a > b
    return a >= b


@fused
def _flip(outcome: int, comparator: int) -> int:
    """The outcome of `=` turned into that of `!=` where that was asked."""
    if comparator == layout.EQUAL or outcome == DOUBT:
        return outcome
    if outcome == NOT_TRUE:
        return DOUBT
    return TRUE - outcome


@fused
def _against_term(batch: EventBatch, workspace: Workspace, base: int, term: int, code: Words, at: int) -> int:
    detail = code[at + 4]
    if workspace.constants[term] == code[at + 2]:
        return _flip(TRUE, detail & 255)
    if detail & layout.TERM_IS_IRI:
        return _flip(FALSE, detail & 255)
    return _flip(FALSE if _is_plain(kind_of(batch, base, term)) else NOT_TRUE, detail & 255)


@fused
def _is_plain(kind: int) -> bool:
    """Kinds whose equality is the identity of terms, also between one kind and another."""
    return kind == columns.IRI or kind == columns.BLANK or kind == columns.STRING


@fused
def _against_variable(batch: EventBatch, base: int, term: int, other: int, comparator: int) -> int:
    state, other_state = number_state(batch, base, term), number_state(batch, base, other)
    decided = columns.EXACT, columns.ROUNDED
    if state in decided and other_state in decided:
        rounded = state == columns.ROUNDED or other_state == columns.ROUNDED
        single = _is_single(batch, base, term) or _is_single(batch, base, other)
        a = batch.numbers[batch.origins[base + term] >> 2]
        b = batch.numbers[batch.origins[base + other] >> 2]
        return _compare(a, b, comparator, rounded, single)
    if comparator > layout.NOT_EQUAL or not _is_plain(kind_of(batch, base, term)):
        return DOUBT
    if not _is_plain(kind_of(batch, base, other)):
        return DOUBT
    return _flip(TRUE if term == other else FALSE, comparator)


@fused
def _among(batch: EventBatch, workspace: Workspace, base: int, term: int, code: Words, at: int) -> int:
    """`IN`: true if one is equal; else in doubt if one was; else an error may hide among what is not true."""
    result = FALSE
    for index in range(code[at + 2]):
        operand = at + (1 + index) * layout.ROW
        if code[operand + 1] == layout.NUMBER:
            outcome = _against_number(batch, base, term, code, operand)
        elif code[operand + 1] == layout.MOMENT:
            outcome = _against_moment(batch, base, term, code, operand)
        elif code[operand + 1] == layout.TERM:
            outcome = _against_term(batch, workspace, base, term, code, operand)
        else:
            outcome = DOUBT
        if outcome == TRUE:
            return TRUE
        if outcome == DOUBT or (outcome == NOT_TRUE and result == FALSE):
            result = outcome
    return result


@fused
def _text(batch: EventBatch, segment: SegmentArrays, base: int, term: int, text: int, relation: int) -> int:
    kind = kind_of(batch, base, term)
    if kind == columns.IRI or kind == columns.BLANK:
        return ERROR
    quad = batch.origins[base + term] >> 2
    if kind == columns.TYPED and batch.quads[quad, columns.DATATYPE] > OTHER_DATATYPE:
        return ERROR
    if not (kind == columns.STRING or kind == columns.LANGUAGE) or batch.quads[quad, columns.ESCAPED]:
        return DOUBT
    start, end = batch.quads[quad, columns.LEXICAL_START], batch.quads[quad, columns.LEXICAL_END]
    return TRUE if _holds_text(batch, segment, start, end, text, relation) else FALSE


@fused
def _holds_text(batch: EventBatch, segment: SegmentArrays, start: int, end: int, text: int, relation: int) -> bool:
    begin = segment.texts.offsets[text]
    length = segment.texts.offsets[text + 1] - begin
    if length > end - start:
        return False
    arena = segment.texts.arena
    if relation == layout.STARTS:
        return same_bytes(batch.buffer, start, arena, begin, length)
    if relation == layout.ENDS:
        return same_bytes(batch.buffer, end - length, arena, begin, length)
    for place in range(start, end - length + 1):  # noqa: SIM110  numba inlines no generators
        if same_bytes(batch.buffer, place, arena, begin, length):
            return True
    return False


@fused
def _integer(batch: EventBatch, base: int, term: int) -> int:
    state = number_state(batch, base, term)
    if state == columns.NOT_A_NUMBER:
        return FALSE
    if state == columns.UNDECIDED:
        return DOUBT
    return TRUE if is_integer_type(batch.quads[batch.origins[base + term] >> 2, columns.DATATYPE]) else FALSE
