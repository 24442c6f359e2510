"""What a team writes in Spark without Triplewire: a bare copy, text to quads and joins, pyoxigraph in mapInPandas."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from deltalake import convert_to_deltalake

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame, SparkSession

_QUAD = r"^(\S+) (\S+) (.+) <([^<>]+)> \.$"
_FOUND = "subscription string, event string"

Star = list[tuple[str, str, str]]
"""Rows of (subscription, predicate, object): a subject that has all of them is an answer."""


def copy_to_delta(spark: SparkSession, data: Path, out: Path) -> None:
    """Spark reads the files, an event a row, and writes them unseen. Then Delta takes the folder over."""
    shutil.rmtree(out, ignore_errors=True)
    rows = spark.read.option("lineSep", "\n\n").text(str(data / "events"))
    rows.write.option("compression", "snappy").parquet(str(out))
    convert_to_deltalake(str(out))


def join_quads(spark: SparkSession, data: Path, stars: Star) -> list[tuple[str, str]]:
    """From the same text to quads, and from quads to answers, in SQL: pairs of a subscription and an event."""
    return _joined(spark, quads_of_text(spark, data), stars)


def join_ready_quads(spark: SparkSession, quads: DataFrame, stars: Star) -> list[tuple[str, str]]:
    """The same over quads that are there already."""
    return _joined(spark, quads, stars)


def quads_of_text(spark: SparkSession, data: Path) -> DataFrame:
    from pyspark.sql import functions as F  # noqa: N812  as everybody names it

    lines = spark.read.text(str(data / "events")).where("value != ''")
    parts = [F.regexp_extract("value", _QUAD, place).alias(name) for place, name in enumerate(_NAMES, 1)]
    return lines.select(*parts)


_NAMES = ("subject", "predicate", "object", "event")


def _joined(spark: SparkSession, quads: DataFrame, stars: Star) -> list[tuple[str, str]]:
    from pyspark.sql import functions as F  # noqa: N812

    asked = spark.createDataFrame(stars, "subscription string, predicate string, object string")
    needed = asked.groupBy("subscription").agg(F.count("*").alias("needed"))
    met = quads.join(F.broadcast(asked), ["predicate", "object"]).groupBy("subscription", "event", "subject")
    whole = met.agg(F.countDistinct("predicate", "object").alias("met")).join(F.broadcast(needed), "subscription")
    rows = whole.where("met = needed").select("subscription", "event").distinct().collect()
    return sorted((row.subscription, row.event) for row in rows)


def evaluate_in_pandas(spark: SparkSession, data: Path, texts: dict[str, str]) -> list[tuple[str, str]]:
    """Every query on every event, by pyoxigraph in mapInPandas."""
    rows = spark.read.option("lineSep", "\n\n").text(str(data / "events")).where("value != ''")
    found = rows.mapInPandas(_evaluating(texts), _FOUND).collect()
    return sorted((row.subscription, row.event) for row in found)


def _evaluating(texts: dict[str, str]) -> Callable[[Iterable[pd.DataFrame]], Iterator[pd.DataFrame]]:
    def run(frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        import pyoxigraph as ox

        for frame in frames:
            found = []
            for text in frame["value"]:
                store = ox.Store()
                store.bulk_load(text.encode() + b"\n", format=ox.RdfFormat.N_QUADS)
                names = [graph.value for graph in store.named_graphs()]
                for name, query in texts.items():
                    if _has_answer(store.query(query, use_default_graph_as_union=True)):
                        found.extend((name, event) for event in names)
            yield pa.table({"subscription": [f[0] for f in found], "event": [f[1] for f in found]}).to_pandas()

    return run


def _has_answer(result: object) -> bool:
    return bool(result) if type(result).__name__ == "QueryBoolean" else next(iter(result), None) is not None  # type: ignore[call-overload]
