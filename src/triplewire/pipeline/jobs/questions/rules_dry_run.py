"""`rules --dry-run`: what would these RDFTL rules have done over a lake's history?

Which events may trigger a rule is found out in many tasks, an event at a time. Those are then replayed in one task, by
time, source and name: there is one repository, what an event finds in it is what the ones before it have left, and no
part of it can be told to be nobody else's concern. Nothing is written but a report, where one is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
from msgspec import Struct

from triplewire.errors import InputError
from triplewire.languages.rdftl import read_rules
from triplewire.languages.rdftl.syntax import Rule
from triplewire.pipeline.failures import explained
from triplewire.pipeline.jobs.gauges import ByTasks
from triplewire.pipeline.jobs.questions.parquet_folder import require_new, write_folder
from triplewire.pipeline.jobs.questions.past import PastRequest, past_events
from triplewire.pipeline.jobs.questions.rule_replay import EventFilter, RuleReplay, listens
from triplewire.pipeline.jobs.task_runner import NoListener, ProgressListener, run_step
from triplewire.pipeline.lake.tables import EVENTS
from triplewire.pipeline.progress import Counts
from triplewire.pipeline.storage.copies import files_here
from triplewire.pipeline.storage.location import Location
from triplewire.rdf.documents import read_document
from triplewire.rdf.events import Event
from triplewire.rdf.formats import format_of_path
from triplewire.rdf.limits import ANY_SIZE, MIB, Limits
from triplewire.rdf.parsing.quads import QuadReader
from triplewire.rdf.terms import Triple
from triplewire.rules.name_resolution import resolved
from triplewire.rules.schema import Schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_EVENTS = "event string, source string, time timestamp, payload binary"
_UNITS = (
    "order long, event string, time timestamp, rule string, cause string, depth long, status string, error string, "
    "inserted array<string>, deleted array<string>"
)
_LINES = pa.list_(pa.string())
_SCHEMA = pa.schema(
    [
        ("order", pa.int64()),
        ("event", pa.string()),
        ("time", pa.timestamp("us", tz="UTC")),
        ("rule", pa.string()),
        ("cause", pa.string()),
        ("depth", pa.int64()),
        ("status", pa.string()),
        ("error", pa.string()),
        ("inserted", _LINES),
        ("deleted", _LINES),
    ]
)
_MOST_REASONS = 20
_Tasks = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]
# The last row of a replay says what it all came to.
NET = "net"
# A repository is the user's own, and larger than an event.
_LARGE = Limits(document_bytes=4096 * MIB, expanded_bytes=16384 * MIB)


class RulesRequest(PastRequest, frozen=True, kw_only=True):
    """Rules of a file with their schema; `data` is what the repository holds at first.

    `out` is a new folder for the whole report, as Parquet.
    """

    rules: str
    schema: str
    data: str | None = None
    out: str | None = None


class RuleSummary(Struct, frozen=True):
    """How often a rule fired, how often that was undone, what it changed, and whether events can trigger it."""

    rule: str
    listens: bool
    fired: int
    undone: int
    inserted: int
    deleted: int
    first: datetime | None
    last: datetime | None


class RulesReport(Struct, frozen=True):
    """What would have happened. `refused` events would not have conformed, or were too much work; some say why."""

    events: int
    applied: int
    refused: int
    reasons: list[tuple[str, str]]
    rules: list[RuleSummary]
    inserted: list[str]
    deleted: list[str]


def dry_run(spark: SparkSession, request: RulesRequest, listener: ProgressListener | None = None) -> RulesReport:
    """Replay the history."""
    setting = _Setting.read(request)
    out = None if request.out is None else Location.of(request.out, request.storage).absolute()
    if out is not None:
        require_new(out)
    state = request.state()
    events = past_events(spark, request, state, ["event", "source", "time", "payload"])
    gauge = ByTasks(whole=Counts(events=state.count(EVENTS)))

    def act() -> RulesReport:
        # The replay is one task and its answer small beside the history: it is not done twice.
        units = _replayed(events, setting).persist()
        try:
            if out is not None:
                write_folder(units.where(units["status"] != NET), out, _SCHEMA)
            return _summary(units, events, setting)
        finally:
            units.unpersist()

    with explained():
        return run_step(spark, listener or NoListener(), "replaying rules", gauge, act)


class _Setting(Struct, frozen=True):
    """What the files hold, read on the driver and found sound."""

    schema: Schema
    rules: tuple[Rule, ...]
    data: tuple[Triple, ...]

    @classmethod
    def read(cls, request: RulesRequest) -> _Setting:
        given = [request.schema, request.rules, *([] if request.data is None else [request.data])]
        with files_here(given, request.storage) as copies:
            file, text, *data = map(Path, copies.paths)
            schema = Schema.parse(file, format=format_of_path(file).name)
            rules = tuple(resolved(rule, schema) for rule in read_rules(text))
            triples = tuple(triple for path in data for triple in _triples(path))
        if not any(map(listens, rules)):
            raise InputError(
                wanted="at least one rule ON INSERT, which events can trigger", found="none", source=request.rules
            )
        setting = cls(schema, rules, triples)
        # What is wrong with them is said here, before any work.
        setting.replay()
        return setting

    def replay(self) -> RuleReplay:
        return RuleReplay(self.schema, self.rules, self.data)


def _triples(path: Path) -> Iterator[Triple]:
    for quad in QuadReader(read_document(path, limits=_LARGE), format_of_path(path), limits=_LARGE):
        yield quad.triple


# In tasks


def _replayed(events: DataFrame, setting: _Setting) -> DataFrame:
    """What came of each event, in order. The same content again is the same event."""
    candidates = events.mapInArrow(_filtering(setting), _EVENTS).dropDuplicates(["event", "payload"])
    in_order = candidates.repartition(1).sortWithinPartitions("time", "source", "event")
    replayed: DataFrame = in_order.mapInArrow(_replaying(setting), _UNITS)
    return replayed


def _filtering(setting: _Setting) -> _Tasks:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        wanted = EventFilter(setting.schema, setting.rules)
        for batch in batches:
            yield batch.filter(pa.array([wanted.takes(_event(row)) for row in batch.to_pylist()], pa.bool_()))

    return run


def _replaying(setting: _Setting) -> _Tasks:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        replay = setting.replay()
        last = 0
        for batch in batches:
            rows = [
                {**msgspec.structs.asdict(unit), "time": row["time"]}
                for row in batch.to_pylist()
                for unit in replay.play(_event(row))
            ]
            last = rows[-1]["order"] if rows else last
            yield pa.RecordBatch.from_pylist(rows, _SCHEMA)
        net = [[f"{triple} ." for triple in triples] for triples in (replay.net.inserted, replay.net.deleted)]
        whole = {"order": last + 1, "status": NET, "inserted": net[0], "deleted": net[1]}
        yield pa.RecordBatch.from_pylist([whole], _SCHEMA)

    return run


def _event(row: dict[str, Any]) -> Event:
    [event] = Event.parse(row["payload"], source=row["source"], time=row["time"], limits=ANY_SIZE)
    return event


# The report


def _summary(units: DataFrame, events: DataFrame, setting: _Setting) -> RulesReport:
    from pyspark.sql import functions as F  # noqa: N812  as everybody names it

    transactions = units.where("rule is null").where(F.col("status") != NET)
    failed = transactions.where("error is not null")
    reasons = failed.orderBy("order").limit(_MOST_REASONS).select("event", "error").collect()
    net = units.where(F.col("status") == NET).collect()
    return RulesReport(
        events=events.select("event").distinct().count(),
        applied=transactions.where("error is null").count(),
        refused=failed.count(),
        reasons=[(row["event"], row["error"]) for row in reasons],
        rules=_rules(units, setting),
        inserted=[line for row in net for line in row["inserted"]],
        deleted=[line for row in net for line in row["deleted"]],
    )


def _rules(units: DataFrame, setting: _Setting) -> list[RuleSummary]:
    """Every rule, those that fired most first."""
    from pyspark.sql import functions as F  # noqa: N812

    fired = units.where("rule is not null").groupBy("rule")
    rows = fired.agg(
        F.count("*").alias("fired"),
        F.count("error").alias("undone"),
        F.sum(F.size("inserted")).alias("inserted"),
        F.sum(F.size("deleted")).alias("deleted"),
        F.min("time").alias("first"),
        F.max("time").alias("last"),
    ).collect()
    known = {row["rule"]: row.asDict() for row in rows}
    silent = {"fired": 0, "undone": 0, "inserted": 0, "deleted": 0, "first": None, "last": None}
    summaries = [
        RuleSummary(**{**silent, **known.get(rule.id, {}), "rule": rule.id, "listens": listens(rule)})
        for rule in setting.rules
    ]
    return sorted(summaries, key=lambda summary: (-summary.fired, summary.rule))
