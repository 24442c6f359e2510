"""Text to tokens, by one regular expression.

A token is the string it was written as; its first character says what it is. Positions are not kept: an error finds its
own by reading the text again. Every alternative either succeeds or gives up after a bounded look ahead, so that
tokenizing takes linear time whatever the text. No possessive quantifiers: Python before 3.11.5 misreads them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from typing import NoReturn

from triplewire.errors import SyntaxProblem

_BASE = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_WORD = _BASE + "_0-9"
_CHARS = _WORD + "\u00b7\u0300-\u036f\u203f-\u2040-"
_VARIABLE = rf"[?$][{_WORD}][{_WORD}\u00b7\u0300-\u036f\u203f-\u2040]*"
_ESCAPED = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"
# A prefix is at most 256 characters long, lest `a.a.a...` be read to its end again from each dot.
_PREFIXED = (
    rf"(?:[{_BASE}][{_CHARS}.]{{0,255}}:(?<!\.:)|:)(?:(?:[{_WORD}:]|{_ESCAPED})(?:\.*(?:[{_CHARS}:]|{_ESCAPED}))*)?"
)
IRI_REST = r"[^<>\"{}|^`\\\x00-\x20]*>"
# Whatever a loop in here gives back, nothing else in it takes: a string without an end is read at most twice.
_STRING = (
    r'"""[^"\\]*(?:(?:\\[\s\S]|""?(?!"))[^"\\]*)*"""'
    r"|'''[^'\\]*(?:(?:\\[\s\S]|''?(?!'))[^'\\]*)*'''"
    r'|"(?!"")[^"\\\r\n]*(?:\\[^\r\n][^"\\\r\n]*)*"'
    r"|'(?!'')[^'\\\r\n]*(?:\\[^\r\n][^'\\\r\n]*)*'"
)
# What begins like a string and never ends is one token too: the parser then says so.
_UNCLOSED = r'"""[\s\S]*|\'\'\'[\s\S]*|["\'][^\r\n]*'
_BLANK = rf"_:[{_WORD}](?:[{_CHARS}.]*[{_CHARS}])?"
_NUMBER = r"[+-]?(?:[0-9]+\.[eE][+-]?[0-9]+|(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
_LANGUAGE = r"@[A-Za-z]+(?:-[A-Za-z0-9]+)*"
_SYMBOL = r"\^\^|&&|\|\||!=|<=|>=|[{}()\[\].;,*/+\-=<>!|^?]"

# Some token is found at every place, so that the loop over blanks and comments never has to give anything back.
_TOKEN = re.compile(
    r"(?:[ \t\r\n]+|\#[^\r\n]*)*"
    rf"({_VARIABLE}|{_PREFIXED}|[A-Za-z][A-Za-z0-9_]*|<{IRI_REST}|{_NUMBER}|{_SYMBOL}|{_STRING}|{_BLANK}|{_LANGUAGE}"
    rf"|{_UNCLOSED}|[^\x00-\x7f]+|[\s\S]|\Z)"
)
_CLOSED = re.compile(_STRING)

_CODE_POINT = re.compile(
    rf"(?P<kept>{_STRING}|{_UNCLOSED}|\\[^uU])|(?P<iri><[^<>\"{{}}|^`\x00-\x20]*>)|(?P<comment>\#[^\r\n]*)"
    r"|(?P<escape>\\u[\s\S]{0,4}|\\U[\s\S]{0,8})"
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([\s\S]))")
_PLAIN_ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}


def tokenize(text: str) -> list[str]:
    """The tokens of a text, then at least one empty token that stands for its end.

    >>> tokenize("ASK { ?s a ex:Paper } # all of them")[:-1]
    ['ASK', '{', '?s', 'a', 'ex:Paper', '}', '', '']
    """
    tokens = _TOKEN.findall(text)
    tokens.append("")
    return tokens


def offset_of(text: str, index: int) -> int:
    """Where the token with that index begins."""
    match = next(islice(_TOKEN.finditer(text), index, None), None)
    return len(text) if match is None else match.start(1)


def resolve_code_points(text: str) -> str:
    r"""Replace `\\uXXXX` outside of strings, where SPARQL allows it in place of any character.

    >>> resolve_code_points('?caf\\u00E9 "\\u00E9"')
    '?café "\\u00E9"'
    """
    if "\\u" not in text and "\\U" not in text:
        return text
    return _CODE_POINT.sub(lambda match: _resolved(text, match), text)


def _resolved(text: str, match: re.Match[str]) -> str:
    found = match.group()
    if match.lastgroup in ("kept", "comment"):
        return found

    def reject(wanted: str, found: str) -> NoReturn:
        raise SyntaxProblem.at(text, match.start(), wanted=wanted, found=found)

    return _ESCAPE.sub(lambda escape: _character(escape, reject), found)


def string_value(token: str, reject: Callable[[str, str], NoReturn]) -> str:
    """What a string token means, quotes and escapes removed. `reject` is called with what was wanted and found."""
    quote = token[:3] if token.startswith(('"""', "'''")) else token[0]
    if not _is_closed(token, quote):
        reject(f"a string that ends with {quote}", "no end")
    value = token[len(quote) : -len(quote)]
    if "\\" in value:
        return _ESCAPE.sub(lambda escape: _character(escape, reject), value)
    return value


def _is_closed(token: str, quote: str) -> bool:
    if "\\" in token:
        return _CLOSED.fullmatch(token) is not None
    return len(token) >= 2 * len(quote) and token.endswith(quote)


def _character(escape: re.Match[str], reject: Callable[[str, str], NoReturn]) -> str:
    short, long, plain = escape.groups()
    if plain is not None:
        if plain not in _PLAIN_ESCAPES:
            reject('an escape such as \\n, \\" or \\u00E9', f"\\{plain}")
        return _PLAIN_ESCAPES[plain]
    code = int(short or long, 16)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        reject("a Unicode character", f"the code point {code:X}")
    return chr(code)
