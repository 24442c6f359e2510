"""`triplewire pipeline validate`: the history of a lake against SHACL shapes."""

from __future__ import annotations

from typing import Annotated

import typer

from triplewire.cli.pipeline import options
from triplewire.cli.pipeline.job import progress_bar, show_outcome, spark_for, storage_in
from triplewire.cli.pipeline.options import examples

EXAMPLES = examples(
    "validate --lake lake --shapes shapes.ttl",
    "validate -l lake --shapes shapes.ttl --since 2024-05-01 --strict",
)


def validate_command(
    lake: options.LakePath,
    shapes: Annotated[
        str, typer.Option("--shapes", metavar="FILE", parser=options.path_text, help="SHACL shapes, in an RDF file.")
    ],
    since: options.Since = None,
    until: options.Until = None,
    as_of: options.AsOf = None,
    strict: Annotated[bool, typer.Option("--strict", help="Fail on what does not conform, and keep nothing.")] = False,
    run_id: options.RunId = None,
    master: options.Master = None,
    remote: options.Remote = None,
    storage_option: options.StorageOptions = None,
    conf: options.Conf = None,
) -> None:
    """Validate each event of a lake against SHACL shapes; what does not conform becomes rejects.

    The core of SHACL is taken. An event that does not conform stays in the lake.
    """
    from triplewire.pipeline.jobs.questions.validation import ValidateRequest, validate

    request = ValidateRequest(
        lake=lake,
        shapes=shapes,
        since=since,
        until=until,
        as_of=as_of,
        strict=strict,
        run_id=run_id,
        storage=storage_in(storage_option),
    )
    with spark_for(master, conf, remote) as spark:
        outcome = validate(spark, request, progress_bar())
    show_outcome(outcome)
