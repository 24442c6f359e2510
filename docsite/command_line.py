"""The page of commands, from the program itself."""

from __future__ import annotations

from collections.abc import Iterator

import typer

from docsite.tables import code, table
from triplewire.cli.app import app
from triplewire.cli.manual.entries import Entry, Item, entries


def page() -> str:
    """Every command with its arguments, options and examples."""
    return "\n".join(
        [
            "# Commands",
            "",
            "Made from the program itself. [cli.md](../cli.md) says what commands have in common: paths, exit codes,",
            "formats.",
            "",
            *(line for entry in entries(typer.main.get_command(app)) for line in _section(entry)),
        ]
    )


def _section(entry: Entry) -> Iterator[str]:
    yield f"{'#' * min(len(entry.words) + 1, 4)} {entry.name}"
    yield ""
    yield from (f"{entry.purpose}.", "")
    yield from ("```text", entry.synopsis, "```", "")
    for paragraph in entry.text:
        yield from (_escaped(paragraph), "")
    yield from _items("argument", entry.arguments)
    yield from _items("option", entry.options)
    if entry.commands:
        yield from table(
            ["command", ""], ([f"[{item.name}](#{_slug(entry, item)})", _escaped(item.text)] for item in entry.commands)
        )
    if entry.examples:
        yield from ("```text", *entry.examples, "```", "")
    for note in entry.notes:
        yield from (_escaped(note), "")


def _items(kind: str, items: tuple[Item, ...]) -> Iterator[str]:
    if items:
        yield from table([kind, ""], ([code(item.name), _escaped(item.text)] for item in items))


def _slug(entry: Entry, item: Item) -> str:
    return "-".join((*entry.words, item.name))


def _escaped(text: str) -> str:
    """Text in which nothing is markup but code between backticks."""
    parts = text.split("`")
    return "`".join(part if odd else _plain(part) for odd, part in _alternating(parts))


def _alternating(parts: list[str]) -> Iterator[tuple[bool, str]]:
    return ((bool(number % 2), part) for number, part in enumerate(parts))


def _plain(text: str) -> str:
    for mark in ("\\", "*", "_", "<", "[", "]"):
        text = text.replace(mark, f"\\{mark}")
    return text
