"""`triplewire backup` and `triplewire restore`: a copy of a data folder, and the way back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from triplewire.cli.screen import diagnostics, output, plain
from triplewire.store.backup import Manifest, Report, back_up, restore

BACKUP_EXAMPLES = """[bold]Examples[/bold]

triplewire backup --data ./node ./backups/monday
"""
RESTORE_EXAMPLES = """[bold]Examples[/bold]

triplewire restore ./backups/monday --data ./node
"""
_WORD_SECONDS = 5.0

Data = Annotated[Path, typer.Option("--data", envvar="TRIPLEWIRE_DATA", metavar="PATH", help="The node's data folder.")]


def backup_command(
    target: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the backup goes; must not be there yet.")],
    data: Data,
) -> None:
    """Copy a node's data folder, also while the node runs: everything as of one commit, checked record by record.

    The copy has all that the node must keep secret. If the command is killed there is no backup of that name.
    """
    with _reporting() as report:
        manifest = back_up(data, target, datetime.now(UTC), report)
    _tell(f"backed up {data} to {target}", manifest)


def restore_command(
    backup: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder that `triplewire backup` has made.")],
    data: Data,
) -> None:
    """Make a data folder from a backup, for a node to start with. A folder with something in it is left alone.

    Everything is checked first. If the command is killed there is no folder of that name.
    """
    with _reporting() as report:
        manifest = restore(backup, data, report)
    _tell(f"restored {data} from {backup}", manifest)


def _tell(done: str, manifest: Manifest) -> None:
    state = f"{manifest.bytes:,} bytes; the log up to {manifest.position:,}, the living graph up to {manifest.change:,}"
    output().print(plain(f"{done}: {state}; made {manifest.made:%Y-%m-%d %H:%M:%S} UTC"), soft_wrap=True)


@contextmanager
def _reporting() -> Iterator[Report]:
    """A bar on a terminal; elsewhere a line for each thing that is begun, and every few seconds one more."""
    console = diagnostics()
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("")
        say = _Words(lambda text: None if console.is_terminal else console.print(plain(text)))

        def report(doing: str, done: int, total: int) -> None:
            progress.update(task, description=doing, completed=done, total=total)
            say.report(doing, done, total, time.monotonic())

        yield report


class _Words:
    """Progress in lines."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._doing = ""
        self._said = 0.0

    def report(self, doing: str, done: int, total: int, now: float) -> None:
        if doing != self._doing:
            self._tell(doing)
        elif now - self._said >= _WORD_SECONDS:
            self._tell(f"{doing}: {done:,} of {total:,}")
        else:
            return
        self._doing, self._said = doing, now
