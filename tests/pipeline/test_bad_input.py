"""Ten kinds of bad input, each by name: a clear reason, nothing half done, and the rest goes on.

No Java, and a master that cannot be reached, are in `test_session.py`: they end a run before Spark is there.
"""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.pipeline.samples import (
    expected,
    notified,
    request_of,
    rows_of,
    tasks_of,
    write_feed,
    write_rows,
    written_files,
)

from triplewire import Matcher, Subscription
from triplewire.errors import BadInputRefused, InputError, LakeError, PipelineError, SnapshotError
from triplewire.pipeline import match
from triplewire.pipeline.index import build_index
from triplewire.pipeline.jobs.matching import match_files
from triplewire.pipeline.rows import EVENT_COLUMNS
from triplewire.rdf.limits import MIB
from triplewire.testing.workloads import Row

pytestmark = pytest.mark.xdist_group("spark")

GOOD = "<urn:s> <urn:p> <urn:o> <urn:good{}> .\n"


@pytest.fixture(scope="module")
def feed(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("bad-input")
    write_feed(folder, events=60)
    return folder


@pytest.fixture(scope="module")
def spoilt(feed, tmp_path_factory) -> Path:
    """The feed, and beside it files that are bad in four ways."""
    folder = tmp_path_factory.mktemp("spoilt")
    shutil.copytree(feed, folder, dirs_exist_ok=True)
    events = folder / "events"
    with (events / "0.nq").open("ab") as file:
        file.write(b"this is no quad\n")
    (events / "bad.ttl").write_text("nonsense")
    (events / "latin.nq").write_bytes('<urn:s> <urn:p> "é" <urn:latin> .\n'.encode("latin-1"))
    whole = "".join(GOOD.format(n) for n in range(300_000)).encode()
    (events / "truncated.nq.gz").write_bytes(gzip.compress(whole, 1)[:-1_000])
    write_one_line(events / "long.nq", 64 * MIB)
    return folder


def write_one_line(path: Path, size: int) -> None:
    """A sound line, one of that many bytes, and a sound line. The file has holes, and takes no room on disk."""
    with path.open("wb") as file:
        file.write(GOOD.format("-before").encode())
        file.seek(size, 1)
        file.write(b'" <urn:long> .\n' + GOOD.format("-after").encode())


@pytest.fixture(scope="module")
def lake(spark, spoilt, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("lakes") / "lake"
    match_files(spark, request_of(spoilt, out))
    return out


def rejected(lake: Path, name: str) -> list[tuple[int | None, str]]:
    rows = rows_of(lake, "rejects", "file, line, reason")
    return [(line, reason) for file, line, reason in rows if Path(file).name == name]


def named(lake: Path, source: str) -> list[str]:
    return [event for path, event in rows_of(lake, "events", "source, event") if Path(path).name == source]


def test_the_rest_goes_on(lake, feed):
    assert set(notified(lake)) == expected(feed)


def test_a_line_that_is_no_quad_and_a_document_that_does_not_parse(lake, spoilt):
    lines = (spoilt / "events" / "0.nq").read_bytes().count(b"\n")
    assert [line for line, _ in rejected(lake, "0.nq")] == [lines]
    assert [line for line, _ in rejected(lake, "bad.ttl")] == [1]


def test_a_truncated_gzip(lake):
    [(line, reason)] = rejected(lake, "truncated.nq.gz")
    assert "cannot be read beyond this line (gzip)" in reason
    found = named(lake, "truncated.nq.gz")
    assert 50_000 < len(found) < 300_000
    assert line is not None
    assert line > len(found)


def test_a_file_that_is_not_utf8(lake):
    [(line, reason)] = rejected(lake, "latin.nq")
    assert (line, "UTF-8" in reason) == (1, True)
    assert named(lake, "latin.nq") == []


def test_a_file_with_most_of_it_in_one_line(lake):
    [(line, reason)] = rejected(lake, "long.nq")
    assert (line, "wanted lines of at most 1,048,576 bytes" in reason) == (2, True)
    assert named(lake, "long.nq") == ["urn:good-after", "urn:good-before"]


@pytest.mark.parametrize("strategy", ["replicate", "osma"])
def test_a7_an_event_beyond_the_limits_is_a_reject_whatever_the_lane(spark, tmp_path, strategy):
    """Two sizes between the limit and what is dropped while it is read, one of them in many short quads."""
    (tmp_path / "events").mkdir()
    large = "".join(f'<urn:s> <urn:p{n}> "{"x" * 1_000}" <urn:large> .\n' for n in range(1_300))
    many = "".join(f"<urn:s> <urn:p> <urn:{n}> <urn:many> .\n" for n in range(10_001))
    (tmp_path / "events" / "0.nq").write_text(GOOD.format(1) + large + GOOD.format(2) + many + GOOD.format(3))
    rows = [
        Row("fast", "sparql", "ASK { ?s ?p ?o }"),
        Row("general", "sparql", "ASK { ?s ?p ?o OPTIONAL { ?o ?q ?r } }"),
    ]
    write_rows(tmp_path / "subscriptions.jsonl", rows)
    match_files(spark, request_of(tmp_path, tmp_path / "lake", taxonomy=None, strategy=strategy))
    good = [f"urn:good{n}" for n in (1, 2, 3)]
    assert notified(tmp_path / "lake") == [(name, event) for name in ("fast", "general") for event in good]
    assert [event for (event,) in rows_of(tmp_path / "lake", "events", "event")] == good
    found = rows_of(tmp_path / "lake", "rejects", "line, event, reason")
    assert [(line, event) for line, event, _ in found] == [(2, "urn:large"), (1_303, "urn:many")]
    assert all("event too large: wanted at most 1,048,576 bytes and 10,000 quads" in reason for *_, reason in found)


def test_strict_refuses_it_all_and_leaves_nothing(spark, spoilt, tmp_path):
    with pytest.raises(PipelineError, match="wanted sound input only"):
        match_files(spark, request_of(spoilt, tmp_path / "lake", strict=True))
    assert written_files(tmp_path / "lake") == tasks_of(tmp_path / "lake") == []


_ONE_TASK = """
import resource, sys
from pathlib import Path
from triplewire.pipeline.index import index_at
from triplewire.pipeline.sources.files import source_file
from triplewire.pipeline.sources.splits import plan_tasks
from triplewire.pipeline.lake.table_writers import Draft
from triplewire.pipeline.split_tasks import TaskSpec, run_task
from triplewire.pipeline.storage.location import Location

path, index, staging = sys.argv[1:]
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
small = Path(staging) / "small.nq"
small.write_text("<urn:s> <urn:p> <urn:o> <urn:e> .\\n" * 10)
draft = Draft(Location.of(staging), "run-once-00000000", "run")
run_task(TaskSpec([plan_tasks([source_file(small)], 1)[0]], index_at(index), draft), 0)
before = peak()
tasks = plan_tasks([source_file(Path(path))], 2)
counts = [run_task(TaskSpec(tasks, index_at(index), draft), number).counts for number in range(len(tasks))]
print(peak() - before, sum(c.events for c in counts), sum(c.rejects for c in counts))
"""


@pytest.mark.slow
def test_a_file_of_a_gigabyte_in_one_line_takes_a_bounded_memory(tmp_path):
    write_one_line(tmp_path / "long.nq", 1024 * MIB)
    index = build_index([Subscription.parse("ASK { ?s ?p ?o }", id="s")], None, tmp_path / "indexes")
    (tmp_path / "staging").mkdir()
    arguments = [str(tmp_path / "long.nq"), index.folder, str(tmp_path / "staging")]
    done = subprocess.run([sys.executable, "-c", _ONE_TASK, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    grown, events, rejects = map(int, done.stdout.split())
    assert (events, rejects) == (2, 1)
    assert grown < 256


def test_three_bad_subscriptions_among_ten_thousand_are_listed_and_the_rest_are_used(spark, feed, tmp_path):
    rows = [Row(f"s{n}", "sparql", f"ASK {{ ?x <urn:p{n}> ?y }}") for n in range(9_999)]
    rows.append(Row("every", "sparql", "ASK { ?s ?p ?o }"))
    for place in (7, 5_000, 9_998):
        rows[place] = Row(f"s{place}", "sparql", "SELECT nonsense")
    write_rows(tmp_path / "subscriptions.jsonl", rows)
    asked = request_of(feed, tmp_path / "lake", subscriptions=(str(tmp_path / "subscriptions.jsonl"),), taxonomy=None)
    outcome = match_files(spark, asked)
    assert (outcome.run.subscriptions, outcome.run.rejects, outcome.run.matches) == (9_997, 3, 60)
    found = rows_of(tmp_path / "lake", "rejects", "line, subscription, file, reason")
    assert [(line, name, Path(file).name) for line, name, file, _ in found] == [
        (place + 1, f"s{place}", "subscriptions.jsonl") for place in (7, 5_000, 9_998)
    ]
    assert all("nonsense" in reason for *_, reason in found)
    with pytest.raises(BadInputRefused, match="found 3 rejected") as refused:
        match_files(spark, request_of(feed, tmp_path / "other", subscriptions=asked.subscriptions, strict=True))
    assert all(f"line {line} " in str(refused.value) for line in (8, 5_001, 9_999))
    assert written_files(tmp_path / "other") == []


def test_an_empty_folder(spark, feed, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"empty: wanted RDF files in this folder .* found none"):
        match_files(spark, request_of(feed, tmp_path / "lake", events=(str(tmp_path / "empty"),)))
    assert not (tmp_path / "lake").exists()


def test_a_missing_path(spark, feed, tmp_path):
    with pytest.raises(InputError, match=r"missing\.nq: wanted a file, a folder or a glob of RDF, found nothing"):
        match_files(spark, request_of(feed, tmp_path / "lake", events=(str(tmp_path / "missing.nq"),)))
    assert not (tmp_path / "lake").exists()


def test_an_output_folder_that_holds_another_run(spark, feed, lake):
    before = rows_of(lake, "runs")
    with pytest.raises(LakeError, match=r"found data of match-.*--append adds to it"):
        match_files(spark, request_of(feed, lake))
    assert rows_of(lake, "runs") == before


def test_an_output_folder_that_holds_something_else(spark, feed, tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(LakeError, match="found something else"):
        match_files(spark, request_of(feed, tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize(
    ("file", "wanted"), [("index.json", "an index of format"), ("snapshot/manifest.json", "a snapshot of format")]
)
def test_a_snapshot_of_another_version(spark, tmp_path, file, wanted):
    index = build_index([Subscription.parse("ASK { ?s ?p ?o }", id="s")], None, tmp_path)
    description = Path(index.folder) / file
    description.write_text(re.sub(r'"format":\s*\d+', '"format":99', description.read_text()))
    nothing = spark.createDataFrame([], EVENT_COLUMNS)
    with pytest.raises(SnapshotError, match=f"wanted {wanted} .*found format 99"):
        match(nothing, index.folder) if file == "index.json" else Matcher.open(Path(index.folder) / "snapshot")
