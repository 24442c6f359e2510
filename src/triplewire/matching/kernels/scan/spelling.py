"""Where a term ends, if it is spelled in the one way that the scanner takes.

The scanner takes a term only if its bytes are already canonical, that is, what pyoxigraph prints for the term that it
reads there. Then equal bytes and equal terms are the same thing. Everything else (other spellings, rare shapes, and
whatever is wrong) gives -1 here and goes to the strict parser; so these functions may be narrower than N-Quads but
never wider.

The buffer ends in line breaks, and no term contains one: no loop here can run past the end.
"""

from __future__ import annotations

import numpy as np

from triplewire.matching.kernels.machine import Bytes, byte_at, inner, kernel

_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_DIGITS = b"0123456789"
_SCHEME, _HOST, _IRI, _HEX, _LABEL, _TEXT, _LOWER, _ESCAPE = 1, 2, 4, 8, 16, 32, 64, 128


def _classes() -> Bytes:
    table = np.zeros(256, np.uint8)
    for bit, members in (
        (_SCHEME, _LETTERS + _DIGITS + b"+-."),
        (_HOST, _LETTERS + _DIGITS + b"-."),
        (_IRI, _LETTERS + _DIGITS + b"-._~!$&'()*+,;=:@/?"),
        (_HEX, _DIGITS + b"ABCDEFabcdef"),
        (_LABEL, _LETTERS + _DIGITS),
        (_TEXT, bytes(c for c in range(0x20, 0x7F) if c not in b'"\\')),
        (_LOWER, b"abcdefghijklmnopqrstuvwxyz"),
        (_ESCAPE, b'tnrbf"\\'),
    ):
        table[list(members)] |= bit
    return table


_CLASS = _classes()

_QUOTE, _HASH, _PERCENT, _SLASH, _COLON, _LESS, _MORE, _BACKSLASH = 0x22, 0x23, 0x25, 0x2F, 0x3A, 0x3C, 0x3E, 0x5C
_UNDERSCORE, _MINUS, _SMALL_U = 0x5F, 0x2D, 0x75
_MOST_LANGUAGE, _REGION = 8, 2


@inner
def _is(buffer: Bytes, place: int, bit: int) -> bool:
    return bool(_CLASS[byte_at(buffer, place)] & bit)


@kernel
def iri_end(buffer: Bytes, start: int) -> int:
    """The end of an absolute IRI in angle brackets."""
    if byte_at(buffer, start) != _LESS:
        return -1
    place = _after_authority(buffer, _after_scheme(buffer, start + 1))
    fragments = 0
    while place > 0:
        while _is(buffer, place, _IRI):
            place += 1
        byte = byte_at(buffer, place)
        if byte == _MORE:
            return place + 1
        if byte == _HASH:
            fragments += 1
            place = place + 1 if fragments == 1 else -1
        elif byte == _PERCENT:
            place = place + 3 if _is(buffer, place + 1, _HEX) and _is(buffer, place + 2, _HEX) else -1
        else:
            place = _after_iri_character(buffer, place)
    return -1


@inner
def _after_scheme(buffer: Bytes, place: int) -> int:
    first = place
    while _is(buffer, place, _SCHEME):
        place += 1
    return place + 1 if byte_at(buffer, place) == _COLON and byte_at(buffer, first) >= 0x41 else -1


@inner
def _after_authority(buffer: Bytes, place: int) -> int:
    """Past `//host:port`, if there is one. User names and numeric hosts are for the strict parser."""
    if place < 0 or byte_at(buffer, place) != _SLASH or byte_at(buffer, place + 1) != _SLASH:
        return place
    place += 2
    while _is(buffer, place, _HOST):
        place += 1
    if byte_at(buffer, place) == _COLON:
        place += 1
        while 0x30 <= byte_at(buffer, place) <= 0x39:
            place += 1
    byte = byte_at(buffer, place)
    return place if byte in (_SLASH, _MORE, 0x3F, _HASH) else -1


@inner
def _character(buffer: Bytes, place: int) -> tuple[int, int]:
    """The code point of a well-formed UTF-8 sequence of several bytes, and its end; -1 if it is malformed."""
    first = byte_at(buffer, place)
    if 0xC2 <= first <= 0xDF:
        length, code, least = 2, first & 0x1F, 0x80
    elif 0xE0 <= first <= 0xEF:
        length, code, least = 3, first & 0x0F, 0x800
    elif 0xF0 <= first <= 0xF4:
        length, code, least = 4, first & 0x07, 0x10000
    else:
        return -1, -1
    for step in range(1, length):
        byte = byte_at(buffer, place + step)
        if byte & 0xC0 != 0x80:
            return -1, -1
        code = code << 6 | byte & 0x3F
    if code < least or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        return -1, -1
    return code, place + length


@inner
def _after_iri_character(buffer: Bytes, place: int) -> int:
    """Past a character of RFC 3987's `ucschar`."""
    code, after = _character(buffer, place)
    if 0xA0 <= code <= 0xD7FF or 0xF900 <= code <= 0xFDCF or 0xFDF0 <= code <= 0xFFEF:
        return after
    if 0x10000 <= code < 0xE0000 and code & 0xFFFF <= 0xFFFD:
        return after
    return -1


@kernel
def blank_end(buffer: Bytes, start: int) -> int:
    """The end of a blank node with a label of letters and digits, before white space."""
    if byte_at(buffer, start) != _UNDERSCORE or byte_at(buffer, start + 1) != _COLON:
        return -1
    place = start + 2
    while _is(buffer, place, _LABEL):
        place += 1
    byte = byte_at(buffer, place)
    return place if place > start + 2 and (byte == 0x20 or byte == 0x09) else -1


@kernel
def text_end(buffer: Bytes, start: int) -> tuple[int, int]:
    """The place of the closing quote for the opening one at `start`, and whether there are escapes between them."""
    place = start + 1
    escaped = 0
    while place > 0:
        while _is(buffer, place, _TEXT):
            place += 1
        byte = byte_at(buffer, place)
        if byte == _QUOTE:
            return place, escaped
        if byte == _BACKSLASH:
            escaped = 1
            place = _after_escape(buffer, place + 1)
        else:
            place = _after_text_character(buffer, place)
    return -1, 0


@inner
def _after_escape(buffer: Bytes, place: int) -> int:
    """Past what follows a backslash. `\\u` has canonical uses too, so rare that the strict parser may have them."""
    return place + 1 if _is(buffer, place, _ESCAPE) else -1


@inner
def _after_text_character(buffer: Bytes, place: int) -> int:
    """Past a character that stands for itself; U+FFFE and U+FFFF are written as escapes."""
    code, after = _character(buffer, place)
    return -1 if code in (0xFFFE, 0xFFFF) else after


@kernel
def language_end(buffer: Bytes, start: int) -> int:
    """The end of a lower-case language, with or without a two-letter region: `en`, `en-gb`. All else is rare."""
    place = start
    while _is(buffer, place, _LOWER):
        place += 1
    if not 2 <= place - start <= _MOST_LANGUAGE:
        return -1
    if byte_at(buffer, place) == _MINUS:
        region = place + 1
        place = region
        while _is(buffer, place, _LOWER):
            place += 1
        if place - region != _REGION:
            return -1
    byte = byte_at(buffer, place)
    return place if byte == 0x20 or byte == 0x09 else -1
