"""`triplewire pipeline rules --dry-run`: what would these rules have done over the history of a lake?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from triplewire.cli.pipeline import options
from triplewire.cli.pipeline.job import progress_bar, spark_for, storage_in
from triplewire.cli.pipeline.options import examples
from triplewire.cli.screen import diagnostics, output, plain, show_table, write_json

if TYPE_CHECKING:
    from triplewire.pipeline.jobs.questions.rules_dry_run import RulesReport

EXAMPLES = examples(
    "rules --dry-run --lake lake --rules messages.rdftl --schema selene.ttl",
    "rules --dry-run -l lake -r messages.rdftl -s selene.ttl --data users.ttl --out what-if",
)
_SHOWN = 20


def rules_command(
    lake: options.LakePath,
    rules: Annotated[
        str,
        typer.Option("--rules", "-r", metavar="FILE", parser=options.path_text, help="RDFTL rules, `;;` after each."),
    ],
    schema: Annotated[
        str, typer.Option("--schema", "-s", metavar="FILE", parser=options.path_text, help="Their RDFS schema.")
    ],
    data: Annotated[
        str | None,
        typer.Option(
            "--data", "-d", metavar="FILE", parser=options.path_text, help="What the repository holds at first."
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="FOLDER", parser=options.path_text, help="Each firing, as Parquet, in a new folder."
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="History is not rewritten: this has to be given.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The report as one JSON object.")] = False,
    since: options.Since = None,
    until: options.Until = None,
    as_of: options.AsOf = None,
    master: options.Master = None,
    remote: options.Remote = None,
    storage_option: options.StorageOptions = None,
    conf: options.Conf = None,
) -> None:
    """Tell what rules would have done, had they listened to every event of a lake. Nothing is kept but the report.

    Events are replayed by their time, as on a node: one that triggers a rule is inserted into the repository.
    """
    if not dry_run:
        raise typer.BadParameter("wanted --dry-run: what has happened stays as it is; found none")
    from triplewire.pipeline.jobs.questions import rules_dry_run as job

    request = job.RulesRequest(
        lake=lake,
        rules=rules,
        schema=schema,
        data=data,
        since=since,
        until=until,
        as_of=as_of,
        out=out,
        storage=storage_in(storage_option),
    )
    with spark_for(master, conf, remote) as spark:
        found = job.dry_run(spark, request, progress_bar())
    if as_json:
        write_json([msgspec.to_builtins(found)])
    else:
        _show(found)
    if out is not None:
        diagnostics().print(plain(f"each firing is in {out}"))


def _show(found: RulesReport) -> None:
    headers = ("rule", "by events", "fired", "undone", "inserted", "deleted", "first", "last")
    rows = [
        (
            row.rule,
            "yes" if row.listens else "no",
            f"{row.fired:,}",
            f"{row.undone:,}",
            f"{row.inserted:,}",
            f"{row.deleted:,}",
            "" if row.first is None else f"{row.first:%Y-%m-%d %H:%M}",
            "" if row.last is None else f"{row.last:%Y-%m-%d %H:%M}",
        )
        for row in found.rules
    ]
    show_table(headers, rows)
    for event, reason in found.reasons:
        diagnostics().print(plain(f"the event <{event}> would not have been applied: {reason}"))
    for sign, lines in (("-", found.deleted), ("+", found.inserted)):
        for line in lines[:_SHOWN]:
            output().print(plain(f"{sign} {line}"), soft_wrap=True)
        if len(lines) > _SHOWN:
            output().print(plain(f"{sign} … {len(lines) - _SHOWN:,} more"))
    output().print(
        plain(
            f"{found.applied:,} of {found.events:,} events applied, {found.refused:,} refused; "
            f"{len(found.inserted):,} triples more, {len(found.deleted):,} fewer"
        )
    )
