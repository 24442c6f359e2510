"""An entry as a page for man(1), in the macros of man(7)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from triplewire.cli.manual.entries import Entry, Item

_SECTION = 1


def file_name(words: Iterable[str]) -> str:
    """
    >>> file_name(("triplewire", "rules", "check"))
    'triplewire-rules-check.1'
    """
    return f"{'-'.join(words)}.{_SECTION}"


def page(entry: Entry, version: str) -> str:
    """The page of a command."""
    return "\n".join(_lines(entry, version)) + "\n"


def _lines(entry: Entry, version: str) -> Iterator[str]:
    title = "-".join(entry.words)
    yield f'.TH "{escaped(title.upper())}" "{_SECTION}" "" "triplewire {escaped(version)}" "Triplewire"'
    yield from _section("name", [f"{escaped(title)} \\- {escaped(entry.purpose)}"])
    yield from _section("synopsis", [f"\\fB{escaped(entry.synopsis)}\\fR"])
    yield from _section("description", _paragraphs((f"{entry.purpose}.", *entry.text)))
    yield from _section("arguments", _items(entry.arguments))
    yield from _section("options", _items(entry.options))
    yield from _section("commands", _items(entry.commands))
    yield from _section("examples", _examples(entry.examples))
    yield from _section("notes", _paragraphs(entry.notes))
    related = [f"\\fB{escaped(name)}\\fR({_SECTION})" for name in _related(entry)]
    yield from _section("see also", [", ".join(related)] if related else [])


def _related(entry: Entry) -> Iterator[str]:
    """The pages above and below this one."""
    if len(entry.words) > 1:
        yield "-".join(entry.words[:-1])
    for command in entry.commands:
        yield "-".join((*entry.words, command.name))


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    found = list(lines)
    if found:
        yield f".SH {title.upper()}"
        yield from found


def _paragraphs(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield ".PP"
        yield escaped(text)


def _items(items: Iterable[Item]) -> Iterator[str]:
    for item in items:
        yield ".TP"
        yield f"\\fB{escaped(item.name)}\\fR"
        yield escaped(item.text)


def _examples(examples: Iterable[str]) -> Iterator[str]:
    for example in examples:
        yield from (".PP", ".EX", escaped(example), ".EE")


def escaped(text: str) -> str:
    r"""Text as it is: no request at the beginning of a line, no escape, no hyphen for a minus.

    >>> escaped(r".TH a\b --flag")
    '\\&.TH a\\eb \\-\\-flag'
    """
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", plain, flags=re.MULTILINE)
