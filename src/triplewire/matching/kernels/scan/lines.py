"""From N-Quads bytes to a row per quad.

A line that is not spelled in the one way that `spelling` takes leaves a row marked SLOW with the line's span, for the
strict parser. Blank lines and comment lines leave nothing.

In most streams a line repeats the subject and the graph of the line before. Such a term is compared, eight bytes at a
time, instead of being read and hashed again.
"""

from __future__ import annotations

import numpy as np

from triplewire.matching.kernels.columns import (
    BLANK,
    DATATYPE,
    END,
    ESCAPED,
    FRESH,
    HASH,
    IRI,
    LANGUAGE,
    LEXICAL_END,
    LEXICAL_START,
    NOT_A_NUMBER,
    NUMBER_STATE,
    OBJECT_KIND,
    QUAD_LINE,
    QUAD_STATE,
    SLOW,
    START,
    STRING,
    TAG_END,
    TAG_START,
    TYPED,
    G,
    O,
    P,
    S,
)
from triplewire.matching.kernels.hashing import hash_span, same_bytes
from triplewire.matching.kernels.machine import Bytes, Floats, Table, byte_at, inner, kernel
from triplewire.matching.kernels.scan.datatypes import DATE, DATE_TIME, OTHER_DATATYPE, RESERVED, datatype_code
from triplewire.matching.kernels.scan.moments import read_moment
from triplewire.matching.kernels.scan.numbers import read_number
from triplewire.matching.kernels.scan.runs import add_row, close_event
from triplewire.matching.kernels.scan.spelling import blank_end, iri_end, language_end, text_end

_TAB, _NEWLINE, _RETURN, _SPACE, _QUOTE, _COMMENT, _DOT = 0x09, 0x0A, 0x0D, 0x20, 0x22, 0x23, 0x2E
_LESS, _AT, _CARET = 0x3C, 0x40, 0x5E


@kernel
def count_line_breaks(buffer: Bytes) -> int:
    """How many LF and CR there are: never fewer than lines, if the data ends in one."""
    count = 0
    for byte in buffer:
        count += (byte == _NEWLINE) | (byte == _RETURN)
    return count


@kernel
def scan_lines(
    buffer: Bytes, length: int, seed: int, quads: Table, numbers: Floats, events: Table
) -> tuple[int, int, int]:
    """Fill a row for each line that has something on it: how many rows, how many of them SLOW, how many events.

    Each of the three tables must have a row for every line. Behind `length` the buffer has eight line breaks. The
    events are only good if no row is SLOW; otherwise they have to be grouped once the strict parser is done.
    """
    place, line, row, slow, count, model = 0, 0, 0, 0, 0, -1
    while place < length:
        line += 1
        first = _after_space(buffer, place)
        byte = byte_at(buffer, first)
        if byte in (_NEWLINE, _RETURN, _COMMENT):
            place = _after_line(buffer, first)
            continue
        quads[row, QUAD_LINE] = line
        quads[row, QUAD_STATE] = FRESH
        end = _scan_quad(buffer, first, seed, quads, numbers, row, model)
        if end < 0:
            end = _line_end(buffer, first)
            quads[row, QUAD_STATE], quads[row, S + START], quads[row, S + END] = SLOW, place, end
            slow += 1
        else:
            model = row
            if slow == 0:
                count = add_row(buffer, quads, row, events, count)
        row += 1
        place = _after_line(buffer, end)
    if slow == 0:
        close_event(buffer, quads, events, count)
    return row, slow, count


@inner
def _after_space(buffer: Bytes, place: int) -> int:
    """Past blanks and tabs."""
    while byte_at(buffer, place) == _SPACE or byte_at(buffer, place) == _TAB:
        place += 1
    return place


@inner
def _line_end(buffer: Bytes, place: int) -> int:
    """The place of the next line break."""
    while byte_at(buffer, place) != _NEWLINE and byte_at(buffer, place) != _RETURN:
        place += 1
    return place


@inner
def _after_line(buffer: Bytes, place: int) -> int:
    """Past the next line break, which is LF, CR LF or CR."""
    place = _line_end(buffer, place)
    if byte_at(buffer, place) == _RETURN and byte_at(buffer, place + 1) == _NEWLINE:
        return place + 2
    return place + 1


@inner
def _after_gap(buffer: Bytes, place: int) -> int:
    """Past the white space that must follow a term."""
    after = _after_space(buffer, place) if place > 0 else place
    return after if after > place else -1


@inner
def _scan_quad(buffer: Bytes, place: int, seed: int, quads: Table, numbers: Floats, row: int, model: int) -> int:
    """Read one quad; where its line ends, or -1."""
    numbers[row] = np.nan
    place = _after_gap(buffer, _scan_repeated(buffer, place, seed, quads, row, model, S))
    if place < 0:
        return -1
    place = _after_gap(buffer, _scan_predicate(buffer, place, seed, quads, row))
    if place < 0:
        return -1
    place = _after_gap(buffer, _scan_object(buffer, place, seed, quads, numbers, row))
    if place < 0 or byte_at(buffer, place) != _LESS:
        return -1
    place = _scan_repeated(buffer, place, seed, quads, row, model, G)
    return _after_dot(buffer, place)


@inner
def _after_dot(buffer: Bytes, place: int) -> int:
    if place < 0:
        return -1
    place = _after_space(buffer, place)
    if byte_at(buffer, place) != _DOT:
        return -1
    place = _after_space(buffer, place + 1)
    byte = byte_at(buffer, place)
    return place if byte in (_NEWLINE, _RETURN) else -1


@inner
def _keep(buffer: Bytes, start: int, end: int, seed: int, quads: Table, row: int, term: int) -> int:
    quads[row, term + START] = start
    quads[row, term + END] = end
    quads[row, term + HASH] = hash_span(buffer, start, end, seed)
    return end


@inner
def _scan_repeated(buffer: Bytes, place: int, seed: int, quads: Table, row: int, model: int, term: int) -> int:
    """An IRI or blank node that is likely to be the one of row `model`."""
    if byte_at(buffer, place) != _LESS:
        end = blank_end(buffer, place)
        return _keep(buffer, place, end, seed, quads, row, term) if end > 0 else -1
    if model >= 0:
        start = quads[model, term + START]
        length: int = quads[model, term + END] - start
        # The closing bracket is compared too, so a longer IRI is another one. Nothing is read beyond the buffer: what
        # equals a term has no line break in it.
        if same_bytes(buffer, place, buffer, start, length):
            quads[row, term + START] = place
            quads[row, term + END] = place + length
            quads[row, term + HASH] = quads[model, term + HASH]
            return place + length
    end = iri_end(buffer, place)
    return _keep(buffer, place, end, seed, quads, row, term) if end > 0 else -1


@inner
def _scan_predicate(buffer: Bytes, place: int, seed: int, quads: Table, row: int) -> int:
    end = iri_end(buffer, place)
    return _keep(buffer, place, end, seed, quads, row, P) if end > 0 else -1


@inner
def _scan_object(buffer: Bytes, place: int, seed: int, quads: Table, numbers: Floats, row: int) -> int:
    byte = byte_at(buffer, place)
    if byte == _QUOTE:
        end = _scan_literal(buffer, place, quads, numbers, row)
    elif byte == _LESS:
        end = iri_end(buffer, place)
        _no_literal(quads, row, IRI)
    else:
        end = blank_end(buffer, place)
        _no_literal(quads, row, BLANK)
    return _keep(buffer, place, end, seed, quads, row, O) if end > 0 else -1


@inner
def _no_literal(quads: Table, row: int, kind: int) -> None:
    """Fill the columns that only literals use."""
    quads[row, OBJECT_KIND] = kind
    for column in range(LEXICAL_START, NUMBER_STATE + 1):
        quads[row, column] = 0


@inner
def _scan_literal(buffer: Bytes, place: int, quads: Table, numbers: Floats, row: int) -> int:
    quote, escaped = text_end(buffer, place)
    if quote < 0:
        return -1
    quads[row, LEXICAL_START] = place + 1
    quads[row, LEXICAL_END] = quote
    quads[row, ESCAPED] = escaped
    byte = byte_at(buffer, quote + 1)
    if byte == _AT:
        end = language_end(buffer, quote + 2)
        return _keep_tag(quads, row, LANGUAGE, quote + 2, end, end)
    if byte == _CARET and byte_at(buffer, quote + 2) == _CARET:
        end = iri_end(buffer, quote + 3)
        if end < 0:
            return -1
        _keep_tag(quads, row, TYPED, quote + 4, end - 1, end)
        return end if _keep_value(buffer, quads, numbers, row) else -1
    return _keep_tag(quads, row, STRING, quote + 1, quote + 1, quote + 1)


@inner
def _keep_tag(quads: Table, row: int, kind: int, start: int, end: int, after: int) -> int:
    """Note the kind of a literal and the span of its language or datatype; `after` is handed back."""
    quads[row, OBJECT_KIND] = kind
    quads[row, TAG_START] = start
    quads[row, TAG_END] = end
    quads[row, DATATYPE] = OTHER_DATATYPE
    quads[row, NUMBER_STATE] = NOT_A_NUMBER
    return after


@inner
def _keep_value(buffer: Bytes, quads: Table, numbers: Floats, row: int) -> bool:
    """Note datatype and number of a typed literal; False for a datatype whose literals may be spelled otherwise."""
    code = datatype_code(buffer, quads[row, TAG_START], quads[row, TAG_END])
    if code == RESERVED:
        return False
    if code in (DATE_TIME, DATE):
        state, value = read_moment(buffer, quads[row, LEXICAL_START], quads[row, LEXICAL_END], code)
    else:
        state, value = read_number(buffer, quads[row, LEXICAL_START], quads[row, LEXICAL_END], code)
    quads[row, DATATYPE] = code
    quads[row, NUMBER_STATE] = state
    numbers[row] = value
    return True


@kernel
def finish_rows(buffer: Bytes, seed: int, quads: Table, numbers: Floats, chosen: Table) -> None:
    """Add hashes and numbers to rows that the strict parser has filled with spans."""
    for row in chosen:
        numbers[row] = np.nan
        for term in (S, P, O, G):
            _keep(buffer, quads[row, term + START], quads[row, term + END], seed, quads, row, term)
        if quads[row, OBJECT_KIND] == TYPED:
            _keep_value(buffer, quads, numbers, row)
