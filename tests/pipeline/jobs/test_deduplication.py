"""One event IRI, one content: the same again changes nothing, another one is an error, and `compact` settles it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.pipeline.samples import notified, request_of, rows_of, write_rows

from triplewire.pipeline.jobs.compaction import CompactRequest, compact
from triplewire.pipeline.jobs.matching import match_files
from triplewire.testing.workloads import Row

pytestmark = pytest.mark.xdist_group("spark")

OLD, NEW, TWICE, ALONE = (
    f"<urn:s> <urn:{name}> <urn:o> <urn:{event}> .\n"
    for name, event in (("old", "disputed"), ("new", "disputed"), ("same", "twice"), ("alone", "alone"))
)


@pytest.fixture
def feed(tmp_path: Path) -> Path:
    """Who asks for what is old, for what is new, and for what nobody disputes."""
    names = ("old", "new", "same", "alone")
    rows = [Row(name, "sparql", f"ASK {{ ?s <urn:{name}> ?o }}") for name in names]
    write_rows(tmp_path / "subscriptions.jsonl", rows)
    return tmp_path


def published(spark, feed: Path, lake: Path, run: str, **files: str) -> None:
    """Match some files into the lake, as one run. The later a file is named, the later its time."""
    folder = feed / run
    folder.mkdir()
    for hour, (name, text) in enumerate(files.items()):
        (folder / f"{name}.nq").write_text(text)
        os.utime(folder / f"{name}.nq", (hour * 3_600, hour * 3_600))
    asked = request_of(feed, lake, events=(str(folder),), taxonomy=None, run_id=run, append=True)
    match_files(spark, asked)


def test_two_runs_and_two_files_are_settled_by_compaction(spark, feed, tmp_path):
    lake = tmp_path / "lake"
    published(spark, feed, lake, "monday", a=OLD + TWICE, b=TWICE + ALONE)
    published(spark, feed, lake, "tuesday", a=NEW + TWICE)
    done = compact(spark, CompactRequest(lake=str(lake)))
    assert done.conflicts == 1
    kept = rows_of(lake, "events", "event, decode(payload), run")
    assert kept == [
        ("urn:alone", ALONE, "monday"),
        ("urn:disputed", OLD, "monday"),
        ("urn:twice", TWICE, "monday"),
    ]
    assert notified(lake) == [("alone", "urn:alone"), ("old", "urn:disputed"), ("same", "urn:twice")]
    [(file, event, reason)] = rows_of(lake, "rejects", "file, event, reason")
    assert (Path(file).parent.name, event) == ("tuesday", "urn:disputed")
    assert "has since run monday" in reason
    assert "found another one in run tuesday" in reason
    assert [predicate for (predicate,) in rows_of(lake, "quads", "predicate")] == [
        "<urn:alone>",
        "<urn:old>",
        "<urn:same>",
    ]
    again = compact(spark, CompactRequest(lake=str(lake)))
    assert (again.conflicts, len(rows_of(lake, "rejects")), rows_of(lake, "events")[0][0]) == (0, 1, "urn:alone")


def test_within_a_run_the_earlier_file_counts(spark, feed, tmp_path):
    lake = tmp_path / "lake"
    published(spark, feed, lake, "monday", later_by_name=OLD, earlier_by_name=NEW)
    assert notified(lake) == [("new", "urn:disputed"), ("old", "urn:disputed")]
    compact(spark, CompactRequest(lake=str(lake), tables=("events",)))
    assert notified(lake) == [("old", "urn:disputed")]
