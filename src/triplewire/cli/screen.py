"""Consoles, tables and progress. Nothing from outside reaches a terminal unescaped, or is taken for markup."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TypeVar

import msgspec
from rich.console import Console
from rich.measure import Measurement
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

T = TypeVar("T")

# Control characters move cursors and recolour terminals; bidirectional overrides show text in another order.
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    r"""The text with what a terminal would obey written as an escape; line ends stay.

    >>> printable("red: \x1b[31m")
    'red: \\x1b[31m'
    """
    return _CONTROL.sub(lambda found: found.group().encode("unicode_escape").decode(), text)


def plain(text: str, style: str = "") -> Text:
    """Text as it is, safe to show: no markup, no control characters."""
    return Text(printable(text), style=style)


def labelled(label: str, style: str, text: str) -> Text:
    """Text with a word in front that stands out."""
    return Text.assemble((label, style), printable(text))


class _Console(Console):
    """A console that leaves it to the command what a reader means that went away."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def output() -> Console:
    """Where results go. Made per use, because tests and shells swap standard output."""
    return _Console(highlight=False)


def diagnostics() -> Console:
    """Where errors, summaries and progress go."""
    return _Console(stderr=True, highlight=False, soft_wrap=True)


def complain(message: str) -> None:
    """Show an error."""
    diagnostics().print(labelled("error: ", "bold red", message))


def warn(message: str) -> None:
    """Tell of something that does not stop the work, but is not what was asked for."""
    diagnostics().print(labelled("note: ", "bold yellow", message))


def remark(message: str) -> None:
    """Tell a person at a terminal why it takes a while."""
    console = diagnostics()
    if console.is_terminal:
        console.print(plain(message))


def report(problems: Iterable[str]) -> None:
    """Show every problem."""
    for problem in problems:
        complain(problem)


def write_json(objects: Iterable[Mapping[str, object]]) -> None:
    """One object a line. JSON is UTF-8, whatever the terminal speaks."""
    for written in objects:
        sys.stdout.buffer.write(msgspec.json.encode(written) + b"\n")


def show_table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table: folded to a terminal's width, but never folded where a program reads it."""
    table = Table(header_style="bold", show_lines=False)
    for header in headers:
        table.add_column(header, overflow="fold")
    for row in rows:
        table.add_row(*map(plain, row))
    console = output()
    if not console.is_terminal:
        console.width = Measurement.get(console, console.options.update(max_width=1_000_000), table).maximum
    console.print(table)


def waiting(words: str) -> AbstractContextManager[object]:
    """Say on a terminal what is being done, for as long as the block takes; nothing may be printed in it."""
    return diagnostics().status(printable(words))


def tracked(items: Sequence[T], doing: str) -> Iterator[T]:
    """The items, with a progress bar on a terminal's standard error that is wiped at the end."""
    console = diagnostics()
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        yield from progress.track(items, description=doing)
