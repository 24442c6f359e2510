"""The lake on Delta beside what a data team has without it: part of `make bench-pipeline`.

Each way is run once on a little data before it is timed; CPU seconds are those of Spark, its workers and the driver.
Where a storage server is there (`TRIPLEWIRE_OBJECT_STORAGE` names the folder that scripts/object-storage/fetch fills),
the lake is also written to S3.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import msgspec
from msgspec import Struct
from pyspark.sql import SparkSession
from rich.console import Console

from benchmarks.asked import Figure
from benchmarks.cpu_time import Cost, cost_of
from benchmarks.rivals.spark_ways import Star, copy_to_delta, evaluate_in_pandas, join_quads, join_ready_quads
from triplewire.cli.generate import Name, generate_command
from triplewire.pipeline import match, open_table, register
from triplewire.pipeline.jobs.compaction import CompactRequest, compact
from triplewire.pipeline.jobs.history import BackfillRequest, backfill
from triplewire.pipeline.jobs.matching import MatchRequest, match_files
from triplewire.pipeline.lake.event_lake import existing_lake
from triplewire.pipeline.storage.location import Location
from triplewire.pipeline.strategies.index_store import find_in
from triplewire.pipeline.strategies.replicate import Replicate

_STARS, _LIBRARY_SUBSCRIPTIONS, _IN_PANDAS = 10_000, 20_000, 100
_FILES = 40


class LakePlan(Struct, frozen=True):
    """How much is measured; `history` is how many events a backfill runs over."""

    events: int
    subscriptions: int
    history: int
    pandas_events: int


FULL = LakePlan(2_000_000, 100_000, 10_000_000, 500)
QUICK = LakePlan(100_000, 10_000, 100_000, 100)


class LakeFindings(Struct):
    """What each way took, by its name; how many events it was for, and what else there is to say."""

    plan: LakePlan
    costs: dict[str, Cost] = {}
    events: dict[str, int] = {}
    same_answers: bool = True


class _Bench:
    def __init__(self, spark: SparkSession, home: Path, plan: LakePlan, console: Console) -> None:
        self._spark = spark
        self._home = home
        self._console = console
        self._plan = plan
        self.found = LakeFindings(plan)

    def run(self) -> LakeFindings:
        self._copies()
        self._library()
        self._frames()
        self._stars()
        self._pandas()
        self._object_storage()
        self._history()
        return self.found

    def _take(self, name: str, events: int, cost: Cost) -> None:
        self.found.costs[name], self.found.events[name] = cost, events
        words = f"{name}: {events / cost.seconds:,.0f} events/s, {cost.seconds:,.1f} s, {cost.cpu_seconds:,.1f} CPU s"
        self._console.print(words)

    def _data(self, name: str, workload: Name, events: int, subscriptions: int) -> Path:
        folder = self._home / name
        if not folder.exists():
            generate_command(folder, workload, events, subscriptions, seed=1, matches=1.0, files=_FILES)
        return folder

    def _match(self, data: Path, lake: str, **others: object) -> None:
        asked = {"events": (str(data / "events"),), "subscriptions": (str(data / "subscriptions.jsonl"),), "out": lake}
        match_files(self._spark, MatchRequest(**{**asked, **others}))  # type: ignore[arg-type]

    def _copies(self) -> None:
        events = self._plan.events
        little, data = (self._data(*what) for what in self._mixed())
        copy_to_delta(self._spark, little, self._home / "warm-copy")
        self._match(little, str(self._home / "warm-lake"))
        copied = self._home / "copy"
        self._take("copy", events, cost_of(lambda: copy_to_delta(self._spark, data, copied)))
        shutil.rmtree(copied)
        lake = str(self._home / "local")
        self._take("match and index", events, cost_of(lambda: self._match(data, lake, run_id="first")))
        # The index is there now; so are the kernels.
        again = self._indexed_lake(lake, "again")
        self._take("match", events, cost_of(lambda: self._match(data, again)))

    def _indexed_lake(self, lake: str, name: str) -> str:
        """An empty lake that has the index of another one."""
        target = self._home / name
        shutil.copytree(Path(lake) / "_triplewire" / "indexes", target / "_triplewire" / "indexes")
        return str(target)

    def _mixed(self) -> list[tuple[str, Name, int, int]]:
        plan = self._plan
        return [("little", Name.MIXED, 2_000, 100), ("data", Name.MIXED, plan.events, plan.subscriptions)]

    def _library(self) -> None:
        """What `make demo` runs: a library's feed, with OPTIONAL among the subscriptions."""
        events = self._plan.events // 10
        data = self._data("library", Name.LIBRARY, events, min(_LIBRARY_SUBSCRIPTIONS, self._plan.subscriptions))
        lake = str(self._home / "library-lake")
        taxonomy = str(data / "taxonomy.ttl") if (data / "taxonomy.ttl").exists() else None
        self._match(data, lake, taxonomy=taxonomy)
        again = self._indexed_lake(lake, "library-again")
        self._take("match library", events, cost_of(lambda: self._match(data, again, taxonomy=taxonomy)))
        copied = self._home / "library-copy"
        self._take("copy library", events, cost_of(lambda: copy_to_delta(self._spark, data, copied)))

    def _frames(self) -> None:
        """A DataFrame of events and its matches, beside the job: both write their matches."""
        register(self._spark)
        data, lake = self._home / "data", existing_lake(Location.of(self._home / "local"))
        [version] = {row["index"] for row in lake.state().rows("runs", ["index"])}
        index = find_in(lake.indexes, version)
        assert isinstance(index, Replicate)

        def work() -> None:
            rows = self._spark.read.format("triplewire").load(str(data / "events"))
            match(rows, index).write.parquet(str(self._home / "frame"))

        self._take("match a DataFrame", self._plan.events, cost_of(work))

    def _stars(self) -> None:
        """Queries that SQL can answer, too: a subject with two given properties."""
        events, data = self._plan.events, self._home / "data"
        stars = _stars(data, min(_STARS, self._plan.subscriptions))
        mine = self._home / "stars"
        mine.mkdir()
        (mine / "events").symlink_to(data / "events")
        _write(mine / "subscriptions.jsonl", _queries(stars))
        lake = str(self._home / "stars-lake")
        self._match(mine, lake)
        again = self._indexed_lake(lake, "stars-again")
        self._take("match stars", events, cost_of(lambda: self._match(mine, again)))
        answers: list[list[tuple[str, str]]] = []
        self._take("SQL from text", events, cost_of(lambda: answers.append(join_quads(self._spark, data, stars))))
        ours = open_table(self._spark, again, "notifications").select("subscription", "event").collect()
        self.found.same_answers &= answers[0] == sorted((row.subscription, row.event) for row in ours)
        compact(self._spark, CompactRequest(lake=again, tables=("quads",)))
        quads = open_table(self._spark, again, "quads")
        self._take("SQL over quads", events, cost_of(lambda: join_ready_quads(self._spark, quads, stars)))

    def _pandas(self) -> None:
        """A hundred queries, each asked of each event."""
        events = self._plan.pandas_events
        few = self._data("few", Name.MIXED, events, _IN_PANDAS)
        texts = _queries(_stars(few, _IN_PANDAS))
        evaluate_in_pandas(self._spark, few, dict(islice(texts.items(), 1)))
        self._take("mapInPandas", events, cost_of(lambda: evaluate_in_pandas(self._spark, few, texts)))
        mine = self._home / "hundred"
        mine.mkdir()
        (mine / "events").symlink_to(self._home / "data" / "events")
        _write(mine / "subscriptions.jsonl", texts)
        lake = str(self._home / "hundred-lake")
        self._match(mine, lake)
        again = self._indexed_lake(lake, "hundred-again")
        self._take("match hundred", self._plan.events, cost_of(lambda: self._match(mine, again)))

    def _object_storage(self) -> None:
        program = Path(os.environ.get("TRIPLEWIRE_OBJECT_STORAGE", "")) / "minio"
        if not program.is_file():
            self._console.print("no server of S3: scripts/object-storage/fetch builds one", style="dim")
            return
        with _server(program, self._home / "storage") as (bucket, options):
            self._match(self._home / "little", f"{bucket}/warm", storage=options)
            self._match(self._home / "data", f"{bucket}/first", storage=options)
            # Another name for the same index, which is on this machine now.
            work = cost_of(lambda: self._match(self._home / "data", f"{bucket}/first", storage=options, append=True))
            self._take("match into S3", self._plan.events, work)

    def _history(self) -> None:
        """One subscription over the history: one that requires much, and one that requires next to nothing."""
        events = self._plan.history
        data = self._data("history", Name.MIXED, events, 100)
        lake = str(self._home / "history-lake")
        self._match(data, lake)
        self._take("compact history", events, cost_of(lambda: compact(self._spark, CompactRequest(lake=lake))))
        shutil.rmtree(data / "events")
        [(_, predicate, thing), *_] = _stars(self._home / "data", 1)
        selective = {"one": f"SELECT ?x {{ ?x {predicate} {thing} }}"}
        self._take("backfill one", events, cost_of(lambda: self._backfill(lake, selective)))
        # An end of each pattern is open, so every event is matched.
        open_ended = {"all": f"ASK {{ ?x {predicate} ?y FILTER(CONTAINS(STR(?y), 'no such value')) }}"}
        self._take("backfill over all", events, cost_of(lambda: self._backfill(lake, open_ended)))

    def _backfill(self, lake: str, texts: dict[str, str]) -> None:
        path = self._home / f"{next(iter(texts))}.jsonl"
        _write(path, texts)
        backfill(self._spark, BackfillRequest(lake=lake, subscriptions=(str(path),)))


def measure_lake(spark: SparkSession, home: Path, plan: LakePlan, console: Console) -> LakeFindings:
    """Run every way, one after the other."""
    return _Bench(spark, home, plan, console).run()


def lake_figures(found: LakeFindings, *, full: bool) -> list[Figure]:
    """The figures that were asked for."""

    def rate(name: str) -> float:
        return found.events[name] / found.costs[name].seconds

    def figure(name: str, wanted: float, ours: str, theirs: str) -> list[Figure]:
        if ours not in found.costs:
            return []
        value = rate(ours) / rate(theirs)
        cpu = found.costs[ours].cpu_seconds / found.events[ours] * 1e6
        other = found.costs[theirs].cpu_seconds / found.events[theirs] * 1e6
        return [
            Figure(name, f"≥ {wanted:g}", value, "times its speed", value >= wanted if full else None),
            Figure(f"{name}: CPU", "", cpu / other, "times its CPU time", None),
        ]

    return [
        *figure("match beside a bare copy to Delta", 0.8, "match", "copy"),
        *figure("match with indexing beside the copy", 0.0, "match and index", "copy"),
        *figure("the library beside a bare copy", 0.4, "match library", "copy library"),
        *figure("match beside SQL from text to joins", 10, "match stars", "SQL from text"),
        *figure("match beside SQL over quads", 0.0, "match stars", "SQL over quads"),
        *figure("100 queries beside mapInPandas", 200, "match hundred", "mapInPandas"),
        *figure("DataFrame beside the job", 0.7, "match a DataFrame", "match"),
        *figure("lake on S3 beside local", 0.8, "match into S3", "match"),
        *figure("selective backfill beside matching all", 20, "backfill one", "backfill over all"),
        Figure("SQL gives the same answers", "yes", float(found.same_answers), "", found.same_answers),
    ]


def _stars(data: Path, count: int) -> Star:
    """Subscriptions of two patterns each, from events of the data, evenly over the first file."""
    lines = next(iter(sorted((data / "events").iterdir()))).read_text().split("\n\n")
    step = max(1, len(lines) // count)
    stars: Star = []
    for number, event in enumerate(lines[::step][:count]):
        pairs = sorted({tuple(line.split(" ", 2)[1:]) for line in event.splitlines() if line})
        terms = [(predicate, rest.rsplit(" ", 2)[0]) for predicate, rest in pairs]
        stars += [(f"s{number}", predicate, thing) for predicate, thing in terms[:2]]
    return stars


def _queries(stars: Star) -> dict[str, str]:
    patterns: dict[str, list[str]] = {}
    for name, predicate, thing in stars:
        patterns.setdefault(name, []).append(f"?x {predicate} {thing}")
    return {name: f"SELECT ?x {{ {' . '.join(found)} }}" for name, found in patterns.items()}


def _write(path: Path, texts: dict[str, str]) -> None:
    rows = ({"id": name, "language": "sparql", "text": text} for name, text in texts.items())
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))


@contextmanager
def _server(program: Path, folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    from tests.object_storage.server import server

    with server(program, folder) as running:
        yield running.make_bucket("benchmark"), running.options
