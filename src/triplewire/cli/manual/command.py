"""`triplewire man`: write a manual page for each command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from triplewire import __version__
from triplewire.cli.manual.entries import entries
from triplewire.cli.manual.roff import file_name, page
from triplewire.cli.screen import output, plain
from triplewire.errors import InputError

EXAMPLES = """[bold]Examples[/bold]

triplewire man --out ~/.local/share/man

triplewire man --out man && man -M man triplewire-rules-check
"""


def man_command(
    context: typer.Context,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FOLDER", help="The folder that has man1, or will have it.")
    ],
) -> None:
    """Write a manual page for each command, from what the program itself knows.

    Pages that are there are replaced. Where MANPATH or `man -M` names the folder, `man triplewire-match` shows one.
    """
    folder = out / "man1"
    if folder.exists() and not folder.is_dir():
        raise InputError(wanted="a folder", found="something else", source=str(folder))
    folder.mkdir(parents=True, exist_ok=True)
    found = list(entries(context.find_root().command))
    for entry in found:
        (folder / file_name(entry.words)).write_text(page(entry, __version__), encoding="utf-8")
    output().print(plain(f"{len(found)} manual pages are in {folder}"))
