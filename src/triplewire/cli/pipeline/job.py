"""What every command of `triplewire pipeline` does around its job: a session, a progress bar, words about the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from triplewire.cli.invocation import FAILED
from triplewire.cli.screen import complain, diagnostics, plain, show_table
from triplewire.errors import InputError
from triplewire.rdf.parsing.quads import check_base

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from triplewire.cli.pipeline.progress import ProgressBar
    from triplewire.pipeline.jobs.run_records import Outcome
    from triplewire.pipeline.lake.tables import Run
    from triplewire.pipeline.sources.options import ReadOptions

_SHOWN = 20


@contextmanager
def spark_for(master: str | None, conf: Sequence[str] | None, remote: str | None) -> Iterator[SparkSession]:
    """A session as `--master` or `--remote`, and `--conf`, ask for it."""
    from triplewire.pipeline.session import SessionSettings, spark_session

    if master is not None and remote is not None:
        raise typer.BadParameter(f"wanted --master or --remote, found {master} and {remote}")
    settings = SessionSettings(master=master, conf=settings_in(conf or (), "--conf"), remote=remote)
    with spark_session(settings) as spark:
        yield spark


def settings_in(texts: Sequence[str], flag: str) -> dict[str, str]:
    """What a flag that takes KEY=VALUE has been given.

    >>> settings_in(["a.b=1=2"], "--conf")
    {'a.b': '1=2'}
    """
    return dict(_setting(text, flag) for text in texts)


def storage_in(texts: Sequence[str] | None) -> dict[str, str]:
    """What --storage-option has been given."""
    from triplewire.pipeline.storage.options import merged_options

    return merged_options(settings_in(texts or (), "--storage-option"))


def _setting(text: str, flag: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise InputError(subject=flag, wanted="KEY=VALUE", found=repr(text))
    return key.strip(), value


def read_options(
    event_bytes: int | None,
    event_quads: int | None,
    base: str | None,
    contexts: str | None,
    event_time: str | None,
    storage: dict[str, str],
) -> ReadOptions:
    """How files are read. A map of contexts that is wrong is refused here, not by a task."""
    from triplewire.pipeline.sources.options import ReadOptions

    path = None if contexts is None else str(Path(contexts).resolve())
    found = ReadOptions(
        event_bytes=event_bytes,
        event_quads=event_quads,
        base=base,
        contexts=path,
        event_time=event_time,
        storage=storage,
    )
    check_base(found.reading.base)
    return found


def progress_bar() -> ProgressBar:
    """A watcher for the job. Made here, so that asking for help does not import the pipeline."""
    from triplewire.cli.pipeline.progress import ProgressBar

    return ProgressBar()


def show_outcome(outcome: Outcome) -> None:
    """Show what a run did, and end with a failure if its notifications are incomplete."""
    if outcome.repeated:
        diagnostics().print(plain(f"run {outcome.run.run} is in the lake already; nothing was done"))
    _show(outcome.run, outcome.lake)
    _warn(outcome.run, outcome.quarantined)


def _show(run: Run, lake: str) -> None:
    seconds = max((run.finished - run.started).total_seconds(), 1e-9)
    rows = [
        ("run", run.run),
        ("events", f"{run.events:,}"),
        ("subscriptions", f"{run.subscriptions:,}"),
        ("notifications", f"{run.matches:,}"),
        ("rejects", f"{run.rejects:,}"),
        ("seconds", f"{seconds:,.1f}"),
        ("events a second", f"{run.events / seconds:,.0f}"),
        ("index", run.index or ""),
        ("lake", lake),
    ]
    show_table(("", ""), rows)


def _warn(run: Run, quarantined: dict[str, str]) -> None:
    for name, why in list(quarantined.items())[:_SHOWN]:
        complain(f"subscription {name} is quarantined, its notifications are incomplete: {why}")
    if len(quarantined) > _SHOWN:
        complain(f"{len(quarantined) - _SHOWN:,} more subscriptions are quarantined")
    if run.rejects:
        diagnostics().print(
            plain(f"{run.rejects:,} rejected: the table `rejects` of the lake says what, where and why")
        )
    if quarantined:
        raise typer.Exit(FAILED)
