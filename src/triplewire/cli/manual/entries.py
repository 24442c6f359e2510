"""What the program knows of each of its commands: purpose, arguments, options, examples.

Manual pages and the documentation's page of commands are two ways to print these.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from rich.text import Text


class Item(Struct, frozen=True):
    """An argument, an option or a command, and what it is for."""

    name: str
    text: str


class Entry(Struct, frozen=True):
    """A command, or a group of them. `words` are those that call it."""

    words: tuple[str, ...]
    synopsis: str
    purpose: str
    text: tuple[str, ...]
    arguments: tuple[Item, ...]
    options: tuple[Item, ...]
    commands: tuple[Item, ...]
    examples: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def name(self) -> str:
        """As a person types it."""
        return " ".join(self.words)


def entries(program: Any, words: tuple[str, ...] = ("triplewire",)) -> Iterator[Entry]:
    """The program's own entry, and one for each group and command below it, in alphabetical order."""
    yield _entry(program, words)
    for name, command in _below(program):
        yield from entries(command, (*words, name))


def _below(command: Any) -> list[tuple[str, Any]]:
    found = sorted(getattr(command, "commands", {}).items())
    return [(name, part) for name, part in found if not part.hidden]


def _entry(command: Any, words: tuple[str, ...]) -> Entry:
    context = command.context_class(command, info_name=" ".join(words), resilient_parsing=True)
    purpose, *text = _paragraphs(command.help)
    examples, notes = _closing(command.epilog)
    shown = [(param, param.get_help_record(context)) for param in command.get_params(context)]
    records = [(param.param_type_name, Item(*map(_plain, record))) for param, record in shown if record]
    return Entry(
        words=words,
        synopsis=" ".join([*words, *map(_plain, command.collect_usage_pieces(context))]),
        purpose=purpose.removesuffix("."),
        text=tuple(text),
        arguments=tuple(item for kind, item in records if kind == "argument"),
        options=tuple(item for kind, item in records if kind == "option"),
        commands=tuple(Item(name, _purpose(part)) for name, part in _below(command)),
        examples=examples,
        notes=notes,
    )


def _purpose(command: Any) -> str:
    return _paragraphs(command.help)[0].removesuffix(".")


def _closing(epilog: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The examples below a command's options, and what else stands there."""
    _, heading, after = (epilog or "").partition("[bold]")
    if not heading:
        return (), tuple(_paragraphs(epilog)) if epilog else ()
    return tuple(_paragraphs(after.partition("[/bold]")[2])), ()


def _paragraphs(text: str | None) -> list[str]:
    """Paragraphs, each as one line, without marks for colours."""
    return [" ".join(_plain(part).split()) for part in (text or "").strip().split("\n\n")]


def _plain(text: str) -> str:
    """
    >>> _plain("[bold]all[/bold] of it")
    'all of it'
    """
    return Text.from_markup(text).plain
