"""`profile`: what a source publishes, in numbers, as advertisements, and as a picture.

    FOLDER/profile.json              events, classes, properties, values and intervals, by source
    FOLDER/advertisements/*.ttl      for each source: its schemas, its properties, and its properties with their values
    FOLDER/profile.png               how often each property comes

A property that has few values is advertised with them, one whose values are all numbers or dates with an interval, any
other one by its name alone. So the advertisement of values holds only properties of the first two kinds, and the
advertisement of properties holds all.
"""

from __future__ import annotations

import re
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from triplewire.algebra.advertisements.advertisement import Advertisement
from triplewire.algebra.advertisements.value_sets import Interval
from triplewire.errors import InputError
from triplewire.pipeline.api_modes import is_here
from triplewire.pipeline.failures import explained
from triplewire.pipeline.jobs.event_rows import files_as_rows, separate_rejects
from triplewire.pipeline.jobs.gauges import ByBytes, ByTasks
from triplewire.pipeline.jobs.task_runner import NoListener, ProgressListener, run_step
from triplewire.pipeline.lake.dataframes import payload_bytes, read_table
from triplewire.pipeline.lake.event_lake import existing_lake
from triplewire.pipeline.lake.tables import EVENTS
from triplewire.pipeline.quads import QUAD_COLUMNS, exploding
from triplewire.pipeline.sources.files import find_files
from triplewire.pipeline.sources.options import ReadOptions
from triplewire.pipeline.storage.location import Location
from triplewire.rdf.terms import RDF, XSD, Literal, NamedNode

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_FEW_VALUES = 20
_MOST_BARS = 25
_TYPED = r'^"(-?[0-9T:.+Z-]+)"\^\^<' + str(XSD) + r"(integer|decimal|double|float|int|long|date|dateTime|gYear)>$"
_NUMERIC = ("integer", "decimal", "double", "float", "int", "long")
BY = ("all", "folder", "file")


class ProfileRequest(Struct, frozen=True, kw_only=True):
    """Events of files or of a lake, and what counts as one source: all of them, a folder, or a file."""

    out: str
    events: tuple[str, ...] = ()
    lake: str | None = None
    as_of: str | None = None
    by: str = "all"
    storage: dict[str, str] = {}


class PropertyProfile(Struct, frozen=True):
    """One property of one source. `values` are all of them, if they are few; `low` and `high` if all have an order."""

    source: str
    name: str
    quads: int
    distinct: int
    values: list[str]
    low: str | None = None
    high: str | None = None

    @property
    def interval(self) -> str | None:
        return None if self.low is None else f"{self.low} … {self.high}"


class ClassProfile(Struct, frozen=True):
    """One class of one source, and how many instances are declared."""

    source: str
    name: str
    instances: int


class Profile(Struct, frozen=True):
    """The report."""

    events: int
    classes: list[ClassProfile]
    properties: list[PropertyProfile]


def profile(spark: SparkSession, request: ProfileRequest, listener: ProgressListener | None = None) -> Profile:
    """Look at the events, and write the report: all of it, when all is known."""
    if request.by not in BY:
        raise InputError(subject="--by", wanted=f"one of {', '.join(BY)}", found=repr(request.by))
    out = Location.of(request.out).local
    events, size = _events(spark, request)
    with tempfile.TemporaryDirectory(prefix="triplewire-profile-") as folder, explained():
        # Tasks on other machines cannot write their progress into a folder of the driver's.
        progress_folder = folder if is_here(spark) else None
        gauge = ByTasks() if progress_folder is None else ByBytes(Location.of(progress_folder), size)
        measure = partial(_measured, events, request.by, progress_folder)
        report = run_step(spark, listener or NoListener(), "profiling", gauge, measure)
    _write(report, out)
    return report


def _write(report: Profile, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".draft-", dir=out) as name:
        draft = Path(name)
        (draft / "advertisements").mkdir()
        (draft / "profile.json").write_bytes(msgspec.json.format(msgspec.json.encode(report)))
        for source in sorted({row.source for row in report.properties}):
            rows = [row for row in report.properties if row.source == source]
            _advertise(rows, draft / "advertisements" / _file_name(source))
        _draw(report, draft / "profile.png")
        (out / "advertisements").mkdir(exist_ok=True)
        for file in sorted(path for path in draft.rglob("*") if path.is_file()):
            file.replace(out / file.relative_to(draft))


def _events(spark: SparkSession, request: ProfileRequest) -> tuple[DataFrame, int]:
    """The events, and about how many bytes of them there are."""
    if bool(request.events) == bool(request.lake):
        raise InputError(subject="a profile", wanted="either events or a lake", found="both or neither")
    if request.lake is not None:
        state = existing_lake(Location.of(request.lake, request.storage).absolute()).state(request.as_of)
        return read_table(spark, state, EVENTS, ["event", "source", "payload"]), payload_bytes(state)
    files = find_files(request.events, ReadOptions(storage=request.storage))
    return separate_rejects(files_as_rows(spark, files)).events, sum(file.size for file in files)


def _measured(events: DataFrame, by: str, progress_folder: str | None) -> Profile:
    from pyspark.sql import functions as F  # noqa: N812  as everybody names it

    source = {"all": F.lit("all"), "file": F.col("source"), "folder": F.regexp_replace("source", "/[^/]*$", "")}[by]
    # The column that a quad brings along from its event is its source here.
    rows = events.select("payload", source.alias("run"), F.lit(None).cast("long").alias("batch"))
    quads = rows.mapInArrow(exploding(progress_folder), QUAD_COLUMNS).withColumnRenamed("run", "source").cache()
    try:
        classes = quads.where(F.col("predicate") == str(RDF["type"])).groupBy("source", "object").count().collect()
        return Profile(
            quads.select("event").distinct().count(),
            sorted((ClassProfile(r["source"], r["object"], r["count"]) for r in classes), key=lambda c: -c.instances),
            sorted(map(_property, _by_property(quads).collect()), key=lambda p: (p.source, -p.quads)),
        )
    finally:
        quads.unpersist()


def _by_property(quads: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F  # noqa: N812

    lexical = F.regexp_extract("object", _TYPED, 1)
    datatype = F.regexp_extract("object", _TYPED, 2)
    # A number is compared as one, whatever its type; a date as its text, which has the same order.
    kind = F.when(datatype.isin(*_NUMERIC), F.lit("number")).otherwise(datatype)
    order = F.when(kind == "number", lexical.try_cast("decimal(38,10)"))
    values = quads.select("source", "predicate", "object", kind.alias("kind"), order.alias("n"))
    each = values.groupBy("source", "predicate", "object", "kind", "n").count()
    return each.groupBy("source", "predicate").agg(
        F.sum("count").alias("quads"),
        F.count("object").alias("distinct"),
        F.sort_array(F.slice(F.collect_list("object"), 1, _FEW_VALUES + 1)).alias("values"),
        F.collect_set("kind").alias("kinds"),
        F.count("n").alias("numbers"),
        F.min_by("object", "n").alias("low_number"),
        F.max_by("object", "n").alias("high_number"),
        F.min("object").alias("low_text"),
        F.max("object").alias("high_text"),
    )


def _property(row: Any) -> PropertyProfile:
    few = list(row["values"]) if row["distinct"] <= _FEW_VALUES else []
    low = high = None
    kinds = set(row["kinds"])
    if kinds == {"number"} and row["numbers"] == row["distinct"]:
        low, high = row["low_number"], row["high_number"]
    elif len(kinds) == 1 and kinds <= {"date", "gYear"}:
        low, high = row["low_text"], row["high_text"]
    return PropertyProfile(row["source"], row["predicate"][1:-1], row["quads"], row["distinct"], few, low, high)


def _advertise(rows: list[PropertyProfile], stem: Path) -> None:
    owner = rows[0].source
    names = [row.name for row in rows]
    schemas = sorted({re.split(r"(?<=[#/])(?=[^#/]*$)", name)[0] for name in names})
    found = {
        "schemas": Advertisement.schemas(schemas, owner=owner),
        "properties": Advertisement.properties(names, owner=owner),
    }
    offers = {row.name: offer for row in rows if (offer := _offer(row)) is not None}
    if offers:
        found["values"] = Advertisement.values(offers, owner=owner)
    for kind, advertisement in found.items():
        Path(f"{stem}-{kind}.ttl").write_text(advertisement.to_turtle(), encoding="utf-8")


def _offer(row: PropertyProfile) -> object | None:
    terms = [term for value in row.values if (term := _term(value)) is not None]
    if row.values and len(terms) == len(row.values):
        return terms
    if row.low is not None and row.high is not None:
        low, high = _term(row.low), _term(row.high)
        return [Interval(low, high)] if isinstance(low, Literal) and isinstance(high, Literal) else None
    return None


def _term(spelled: str) -> NamedNode | Literal | None:
    """The term of an N-Triples spelling; blank nodes and triple terms cannot be advertised."""
    from triplewire.matching.scanning.term_decoding import term_of

    found = term_of(spelled.encode())
    return found if isinstance(found, NamedNode | Literal) else None


def _file_name(source: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", source).strip("-.") or "source"


def _draw(report: Profile, path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    rows = sorted(report.properties, key=lambda row: row.quads)[-_MOST_BARS:]
    figure, axes = plt.subplots(figsize=(9, 1.2 + 0.35 * max(len(rows), 1)))
    names = [
        f"{re.split('[#/]', row.name)[-1]}{'' if row.source == 'all' else f' ({Path(row.source).name})'}"
        for row in rows
    ]
    bars = axes.barh(names, [row.quads for row in rows])
    axes.bar_label(bars, [_words(row) for row in rows], padding=3, fontsize=7)
    axes.set_xlabel(f"quads, in {report.events:,} events")
    axes.margins(x=0.35)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _words(row: PropertyProfile) -> str:
    if row.low is not None and row.high is not None:
        return f"{_lexical(row.low)} … {_lexical(row.high)}"
    return f"{row.distinct:,} values"


def _lexical(spelled: str) -> str:
    return spelled[1 : spelled.rindex('"')]
