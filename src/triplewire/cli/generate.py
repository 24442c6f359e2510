"""`triplewire generate`: events and subscriptions in any number, the same for the same seed."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from triplewire.cli.screen import output, plain, waiting
from triplewire.errors import InputError
from triplewire.testing import workloads
from triplewire.testing.workloads import Workload

EXAMPLES = """[bold]Examples[/bold]

triplewire generate --out data --events 200000 --subscriptions 20000

triplewire generate --out data --workload zipf --matches 5 --files 8 --compress
"""


class Name(StrEnum):
    """The workloads that can be generated."""

    LIBRARY = "library"
    MIXED = "mixed"
    ZIPF = "zipf"
    RANGES = "ranges"
    SUBSTRINGS = "substrings"
    TAXONOMY = "taxonomy"
    GRAPHS = "graphs"


def generate_command(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="A folder that is new or empty.")],
    workload: Annotated[Name, typer.Option("--workload", "-w", help="What kind of data.")] = Name.LIBRARY,
    events: Annotated[int, typer.Option("--events", "-e", min=0, help="How many events.")] = 10_000,
    subscriptions: Annotated[int, typer.Option("--subscriptions", "-s", min=1, help="How many subscriptions.")] = 1_000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The same seed, the same data.")] = 1,
    matches: Annotated[
        float, typer.Option("--matches", min=0.001, help="Matches that an event is meant to have.")
    ] = 1.0,
    files: Annotated[int, typer.Option("--files", min=1, help="Into how many files the events go.")] = 4,
    compress: Annotated[bool, typer.Option("--compress", help="Write .nq.gz.")] = False,
) -> None:
    """Make data: `events/*.nq`, `subscriptions.jsonl` and, where the workload has one, `taxonomy.ttl`."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(wanted="a folder that is new or empty", found="something in it", source=str(out))
    made: Workload = getattr(workloads, workload.value)(subscriptions, events, seed, matches)
    (out / "events").mkdir(parents=True, exist_ok=True)
    with waiting("writing"):
        _write_events(made, out / "events", events, files, ".nq.gz" if compress else ".nq")
        _write_subscriptions(made, out / "subscriptions.jsonl")
        if made.taxonomy is not None:
            (out / "taxonomy.ttl").write_text(made.taxonomy, encoding="utf-8")
    output().print(plain(f"{events:,} events and {subscriptions:,} subscriptions are in {out}"))


def _write_events(made: Workload, folder: Path, total: int, files: int, suffix: str) -> None:
    payloads = made.payloads()
    for number in range(files):
        share = (total * (number + 1)) // files - (total * number) // files
        path = folder / f"events-{number:04}{suffix}"
        with gzip.open(path, "wb", compresslevel=3) if suffix.endswith(".gz") else path.open("wb") as file:
            file.writelines(_blocks(islice(payloads, share)))


def _blocks(payloads: Iterator[bytes]) -> Iterator[bytes]:
    """Events with a blank line after each, some at a time."""
    while block := list(islice(payloads, 1_000)):
        yield b"\n".join(block) + b"\n"


def _write_subscriptions(made: Workload, path: Path) -> None:
    with path.open("wb") as file:
        file.writelines(msgspec.json.encode(row._asdict()) + b"\n" for row in made.rows())
