"""`triplewire pipeline …`: the matcher inside Spark, over files, streams and history."""

from __future__ import annotations

import typer

from triplewire.cli.invocation import Job, ManyPathsJob
from triplewire.cli.pipeline.ask import EXAMPLES as ASK_EXAMPLES
from triplewire.cli.pipeline.ask import ask_command
from triplewire.cli.pipeline.history import BACKFILL_EXAMPLES, REPLAY_EXAMPLES, backfill_command, replay_command
from triplewire.cli.pipeline.keeping import (
    MIGRATE_EXAMPLES,
    RETAIN_EXAMPLES,
    VACUUM_EXAMPLES,
    migrate_command,
    retain_command,
    vacuum_command,
)
from triplewire.cli.pipeline.maintenance import COMPACT_EXAMPLES, PROFILE_EXAMPLES, compact_command, profile_command
from triplewire.cli.pipeline.match import EXAMPLES as MATCH_EXAMPLES
from triplewire.cli.pipeline.match import match_command
from triplewire.cli.pipeline.report import EXAMPLES as REPORT_EXAMPLES
from triplewire.cli.pipeline.report import report_command
from triplewire.cli.pipeline.rules import EXAMPLES as RULES_EXAMPLES
from triplewire.cli.pipeline.rules import rules_command
from triplewire.cli.pipeline.stream import EXAMPLES as STREAM_EXAMPLES
from triplewire.cli.pipeline.stream import stream_command
from triplewire.cli.pipeline.validate import EXAMPLES as VALIDATE_EXAMPLES
from triplewire.cli.pipeline.validate import validate_command

app = typer.Typer(
    name="pipeline",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Match over files, streams and history with Spark: on this machine, or on a cluster by --master.",
)

app.command("match", cls=ManyPathsJob, epilog=MATCH_EXAMPLES)(match_command)
app.command("stream", cls=ManyPathsJob, epilog=STREAM_EXAMPLES)(stream_command)
app.command("backfill", cls=ManyPathsJob, epilog=BACKFILL_EXAMPLES)(backfill_command)
app.command("replay", cls=ManyPathsJob, epilog=REPLAY_EXAMPLES)(replay_command)
app.command("ask", cls=Job, epilog=ASK_EXAMPLES)(ask_command)
app.command("profile", cls=ManyPathsJob, epilog=PROFILE_EXAMPLES)(profile_command)
app.command("report", cls=ManyPathsJob, epilog=REPORT_EXAMPLES)(report_command)
app.command("rules", cls=Job, epilog=RULES_EXAMPLES)(rules_command)
app.command("validate", cls=Job, epilog=VALIDATE_EXAMPLES)(validate_command)
app.command("compact", cls=ManyPathsJob, epilog=COMPACT_EXAMPLES)(compact_command)
app.command("retain", cls=ManyPathsJob, epilog=RETAIN_EXAMPLES)(retain_command)
app.command("vacuum", cls=ManyPathsJob, epilog=VACUUM_EXAMPLES)(vacuum_command)
app.command("migrate", cls=ManyPathsJob, epilog=MIGRATE_EXAMPLES)(migrate_command)
