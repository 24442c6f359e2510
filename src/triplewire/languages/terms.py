"""IRIs and literals as the formula and graph languages write them, and back.

Both follow Turtle: `<iri>`, `prefix:local`, `"text"@en`, `"2004-06-01"^^xsd:date`, `42`, `4.2`, `4e2`, `true`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pyoxigraph import BaseDirection

from triplewire.languages.scanner import Scanner, shortened
from triplewire.rdf.terms import XSD, Literal, NamedNode

# Letters of names, as SPARQL and Turtle list them (PN_CHARS_BASE).
LETTERS = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
# What may follow the first letter of a variable's name.
NAME_REST = f"{LETTERS}_0-9\u00b7\u0300-\u036f\u203f-\u2040"
_WORD = f"[{NAME_REST}-]"
PREFIX_NAME = f"(?:[{LETTERS}](?:(?:{_WORD}|\\.)*{_WORD})?)"
_ESCAPED = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"
_LOCAL_FIRST = f"(?:[{LETTERS}_0-9:]|{_ESCAPED})"
_LOCAL_LAST = f"(?:{_WORD}|:|{_ESCAPED})"
LOCAL_NAME = rf"(?:{_LOCAL_FIRST}(?:(?:{_LOCAL_LAST}|\.)*{_LOCAL_LAST})?)"

IRI = re.compile(r"<((?:[^<>\"{}|^`\\\x00-\x20]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*)>")
_STRING = re.compile(
    r'"((?:[^"\\\r\n]|\\.)*)"' + r"|'((?:[^'\\\r\n]|\\.)*)'",
)
_OPEN_STRING = re.compile(r"[\"']")
_LANGUAGE = re.compile(r"@([A-Za-z]+(?:-[A-Za-z0-9]+)*)(?:--(ltr|rtl))?")
_DATATYPE = re.compile(r"\^\^")
_NUMBER = re.compile(
    r"(?P<double>[+-]?(?:\d+\.\d*|\.\d+|\d+)[eE][+-]?\d+)|(?P<decimal>[+-]?\d*\.\d+)|(?P<integer>[+-]?\d+)", re.ASCII
)
_BOOLEAN = re.compile(r"(?:true|false)\b")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_LOCAL_ESCAPE = re.compile(r"\\(.)")
_PLAIN = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}


class TermReader:
    """Reads terms at a scanner. `qname` is how the language writes a prefixed name: prefix and local are its groups."""

    def __init__(self, scanner: Scanner, qname: re.Pattern[str], prefixes: Mapping[str, str]) -> None:
        self._scanner = scanner
        self._qname = qname
        self.prefixes = dict(prefixes)

    def iri(self) -> NamedNode | None:
        """An IRI, bracketed or prefixed, if one stands here."""
        start = self._scanner.offset
        if found := self._scanner.accept(IRI):
            return self._node(self.bracketed(found.group(1), start), start)
        if found := self._scanner.accept(self._qname):
            return self._node(self.resolved(found.group(1), found.group(2), start), start)
        return None

    def bracketed(self, inside: str, start: int) -> str:
        """What `<inside>` stands for."""
        return self._unescaped(inside, start)

    def resolved(self, prefix: str, local: str, start: int) -> str:
        """What `prefix:local` stands for."""
        if prefix not in self.prefixes:
            raise self._scanner.problem(
                wanted="a declared prefix", found=f"{shortened(prefix)}: which nobody declared", offset=start
            )
        return self.prefixes[prefix] + _LOCAL_ESCAPE.sub(r"\1", local)

    def literal(self) -> Literal | None:
        """A literal, if one stands here."""
        if self._scanner.sees(_OPEN_STRING):
            return self._string()
        if found := self._scanner.accept(_NUMBER):
            return Literal(found.group(), datatype=XSD[found.lastgroup])
        if found := self._scanner.accept(_BOOLEAN):
            return Literal(found.group(), datatype=XSD["boolean"])
        return None

    def declare(self, prefix: str) -> None:
        """Read the namespace of a prefix declaration; it is a whole IRI, never a prefixed name."""
        start = self._scanner.offset
        inside = self._scanner.expect(IRI, f"the namespace of {prefix}: in angle brackets").group(1)
        self.prefixes[prefix] = self._node(self._unescaped(inside, start), start).value

    def _string(self) -> Literal:
        start = self._scanner.offset
        found = _STRING.match(self._scanner.text, start)
        if found is None:
            raise self._scanner.problem(wanted="the closing quote of a string on the same line", found="none")
        self._scanner.offset = found.end()
        value = self._unescaped(found.group(1) if found.group(1) is not None else found.group(2), start)
        return self._tagged(value, start)

    def _tagged(self, value: str, start: int) -> Literal:
        if found := self._scanner.accept(_LANGUAGE):
            return self._language_string(value, found, start)
        if self._scanner.accept(_DATATYPE):
            datatype = self.iri()
            if datatype is None:
                raise self._scanner.problem(wanted="a datatype after ^^", found=self._scanner.here())
            return Literal(value, datatype=datatype)
        self._scanner.skip()
        return Literal(value)

    def _language_string(self, value: str, tag: re.Match[str], start: int) -> Literal:
        direction = BaseDirection(tag.group(2)) if tag.group(2) else None
        try:
            return Literal(value, language=tag.group(1), direction=direction)
        except ValueError as error:
            raise self._scanner.problem(
                wanted="a language tag", found=f"{shortened(tag.group(1))}: {error}", offset=start
            ) from None

    def _node(self, iri: str, start: int) -> NamedNode:
        try:
            return NamedNode(iri)
        except ValueError as error:
            raise self._scanner.problem(
                wanted="an absolute IRI", found=f"<{shortened(iri)}>: {error}", offset=start
            ) from None

    def _unescaped(self, inside: str, start: int) -> str:
        def plain(escape: re.Match[str]) -> str:
            code = escape.group(1) or escape.group(2)
            found = _character(code) if code else _PLAIN.get(escape.group(3))
            if found is None:
                raise self._scanner.problem(
                    wanted="an escape such as \\n or \\u00e9", found=escape.group(), offset=start
                )
            return found

        return _ESCAPE.sub(plain, inside)


def _character(code: str) -> str | None:
    point = int(code, 16)
    return None if point > 0x10FFFF or 0xD800 <= point <= 0xDFFF else chr(point)


def printed_literal(literal: Literal) -> str:
    """A literal as the languages write it: a number or boolean as itself, all else in quotes."""
    shorthand = _NUMBER.fullmatch(literal.value)
    if shorthand and literal.datatype == XSD[shorthand.lastgroup]:
        return literal.value
    if literal.datatype == XSD["boolean"] and _BOOLEAN.fullmatch(literal.value):
        return literal.value
    return str(literal)
