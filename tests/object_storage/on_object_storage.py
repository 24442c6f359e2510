"""The pipeline on an object storage: a real server that speaks S3, through every job. `make test-object-storage`."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.object_storage.readers import rows_of
from tests.pipeline.samples import EVENTS, expected, write_rows

from triplewire.errors import LakeError, PipelineError, StorageError
from triplewire.pipeline import open_table
from triplewire.pipeline.jobs.compaction import CompactRequest, compact
from triplewire.pipeline.jobs.history import BackfillRequest, ReplayRequest, backfill, replay
from triplewire.pipeline.jobs.matching import MatchRequest, match_files
from triplewire.pipeline.jobs.profiling import ProfileRequest, profile
from triplewire.pipeline.jobs.stream import Folder, StreamRequest, stream
from triplewire.pipeline.sources.files import find_files
from triplewire.pipeline.sources.options import ReadOptions
from triplewire.pipeline.storage.creation import create_bytes
from triplewire.pipeline.storage.files import (
    delete_file,
    delete_folder,
    find_file,
    folder_exists,
    list_files,
    list_folders,
    open_range,
    open_stream,
    read_bytes,
    replace_bytes,
)
from triplewire.pipeline.storage.location import Location
from triplewire.testing.workloads import Row

ANSWER = "subscription, event"


def request_of(server, bucket: str, **others) -> MatchRequest:
    asked = {
        "events": (f"{bucket}/feed/events",),
        "subscriptions": (f"{bucket}/feed/subscriptions.jsonl",),
        "taxonomy": f"{bucket}/feed/taxonomy.ttl",
        "out": f"{bucket}/lake",
        "reading": ReadOptions(storage=server.options),
        "storage": server.options,
    }
    return MatchRequest(**{**asked, **others})


@pytest.fixture
def filled(storage, bucket, feed) -> str:
    """A bucket with a feed in it."""
    storage.upload(feed, f"{bucket.removeprefix('s3://')}/feed")
    return bucket


class TestFiles:
    def test_what_is_written_is_found_listed_read_and_deleted(self, storage, bucket):
        root = Location.of(bucket, storage.options)
        for name in ("a/x.nq", "a/b/y.nq", "c.txt"):
            replace_bytes(root / name, name.encode())
        assert read_bytes(root / "a" / "x.nq") == b"a/x.nq"
        assert [file.location.relative_to(root) for file in list_files(root, recursive=True)] == [
            "a/b/y.nq", "a/x.nq", "c.txt",
        ]  # fmt: skip
        assert [file.location.name for file in list_files(root / "a")] == ["x.nq"]
        assert [folder.name for folder in list_folders(root)] == ["a"]
        assert folder_exists(root / "a")
        assert find_file(root / "none") is None
        assert list_files(root / "none") == []
        delete_file(root / "c.txt")
        delete_folder(root / "a")
        assert list_files(root, recursive=True) == []
        with pytest.raises(FileNotFoundError):
            read_bytes(root / "c.txt")

    def test_ranges_are_read_across_what_is_read_ahead(self, storage, bucket):
        file = Location.of(bucket, storage.options) / "large"
        data = bytes(range(256)) * 80_000
        replace_bytes(file, data)
        with open_range(file) as stream:
            for start in (0, 5, 8 * 1024 * 1024 - 3, len(data) - 4):
                stream.seek(start)
                assert stream.read(1_000) == data[start : start + 1_000]
            stream.seek(0)
            assert stream.read() == data
        with open_stream(file, None) as whole:
            assert whole.read() == data

    def test_of_many_writers_exactly_one_creates_a_file(self, storage, bucket):
        file = Location.of(bucket, storage.options) / "folder" / "x"

        def attempt(number: int) -> int | None:
            try:
                create_bytes(file, str(number).encode())
            except FileExistsError:
                return None
            return number

        with ThreadPoolExecutor(8) as pool:
            won = [number for number in pool.map(attempt, range(16)) if number is not None]
        assert len(won) == 1
        assert read_bytes(file) == str(won[0]).encode()

    @pytest.mark.parametrize("pattern", ["feed/events", "feed/events/*.nq", "feed/**/*.nq", "feed/events/[0-2].nq"])
    def test_events_are_found(self, storage, filled, pattern):
        found = find_files([f"{filled}/{pattern}"], ReadOptions(storage=storage.options))
        assert [file.path for file in found] == [f"{filled}/feed/events/{number}.nq" for number in range(3)]
        assert all(file.size > 0 for file in found)


class TestJobs:
    def test_every_job(self, spark, storage, filled, feed, tmp_path):
        """One after the other, since each needs what the one before has left."""
        options, lake = storage.options, f"{filled}/lake"
        outcome = match_files(spark, request_of(storage, filled, run_id="first"))
        assert (outcome.run.events, outcome.run.matches) == (EVENTS, len(expected(feed)))
        assert set(rows_of(lake, "notifications", options, ANSWER)) == expected(feed)
        assert match_files(spark, request_of(storage, filled, run_id="first")).repeated
        write_rows(tmp_path / "new.jsonl", [Row("new", "sparql", "ASK { ?s ?p ?o }")])
        new = (str(tmp_path / "new.jsonl"),)
        asked = BackfillRequest(lake=lake, subscriptions=new, storage=options)
        assert [backfill(spark, asked).run.matches for _ in range(2)] == [EVENTS, 0]
        replayed = ReplayRequest(lake=lake, out=f"{filled}/what-if", index=outcome.run.index, storage=options)
        assert replay(spark, replayed).run.matches == outcome.run.matches
        match_files(spark, request_of(storage, filled, run_id="again", append=True))
        before = open_table(spark, lake, "notifications", storage=options)
        compact(spark, CompactRequest(lake=lake, storage=options))
        assert len(rows_of(lake, "events", options, "event")) == EVENTS
        assert len(rows_of(lake, "notifications", options, ANSWER)) == len(expected(feed)) + EVENTS
        assert before.count() == 2 * len(expected(feed)) + EVENTS
        assert profile(spark, ProfileRequest(out=str(tmp_path), lake=lake, storage=options)).events == EVENTS
        past = ReplayRequest(lake=lake, out=f"{filled}/past", index=outcome.run.index, as_of="1", storage=options)
        assert replay(spark, past).run.events == EVENTS

    @pytest.mark.parametrize("strategy", ["osma", "csma", "auto"])
    def test_every_strategy(self, spark, storage, filled, feed, strategy):
        match_files(spark, request_of(storage, filled, strategy=strategy))
        assert set(rows_of(f"{filled}/lake", "notifications", storage.options, ANSWER)) == expected(feed)

    def test_a_stream_of_files_that_appear(self, spark, storage, filled, feed):
        source = Folder(f"{filled}/feed/events", files_at_once=1, reading=ReadOptions(storage=storage.options))
        asked = StreamRequest(
            source=source,
            subscriptions=(str(feed / "subscriptions.jsonl"),),
            taxonomy=str(feed / "taxonomy.ttl"),
            out=f"{filled}/lake",
            drain=True,
            storage=storage.options,
        )
        assert stream(spark, asked).batches == 3
        assert stream(spark, asked).batches == 0
        found = rows_of(f"{filled}/lake", "notifications", storage.options, ANSWER)
        assert (set(found), len(found)) == (expected(feed), len(set(found)))
        assert rows_of(f"{filled}/lake", "runs", storage.options, "batch") == [(0,), (1,), (2,)]

    def test_compressed_files_and_a_local_lake(self, spark, storage, bucket, feed, tmp_path):
        import gzip

        for path in (feed / "events").glob("*.nq"):
            file = Location.of(bucket, storage.options) / "packed" / f"{path.name}.gz"
            replace_bytes(file, gzip.compress(path.read_bytes()))
        storage.upload(feed, f"{bucket.removeprefix('s3://')}/feed")
        asked = request_of(storage, bucket, events=(f"{bucket}/packed",), out=str(tmp_path / "lake"))
        assert match_files(spark, asked).run.matches == len(expected(feed))


class TestBadInput:
    """Clear errors, and nothing half done."""

    def test_a_secret_that_is_wrong(self, spark, storage, filled, feed):
        wrong = {**storage.options, "AWS_SECRET_ACCESS_KEY": "guessed"}
        asked = request_of(storage, filled, reading=ReadOptions(storage=wrong), storage=wrong)
        with pytest.raises(StorageError, match=r"s3://.*wanted to .*, found (a secret that is not|access denied)"):
            match_files(spark, asked)
        local = {"events": (str(feed / "events"),), "subscriptions": (str(feed / "subscriptions.jsonl"),)}
        with pytest.raises(StorageError, match=r"found (a secret that is not the key's|access denied)"):
            match_files(spark, request_of(storage, filled, **local, taxonomy=None, storage=wrong))
        assert list_files(Location.of(f"{filled}/lake", storage.options), recursive=True) == []

    def test_a_key_that_nobody_has(self, spark, storage, filled):
        wrong = {**storage.options, "AWS_ACCESS_KEY_ID": "nobody"}
        with pytest.raises(StorageError, match=r"found (an access key that it does not know|access denied)"):
            match_files(spark, request_of(storage, filled, reading=ReadOptions(storage=wrong), storage=wrong))

    def test_a_bucket_that_is_not_there(self, spark, storage, filled):
        with pytest.raises(StorageError, match=r"s3://no-such-bucket-here.*found no such bucket"):
            match_files(spark, request_of(storage, filled, out="s3://no-such-bucket-here/lake"))

    def test_a_server_that_does_not_answer(self, spark, storage, filled):
        gone = {**storage.options, "AWS_ENDPOINT_URL": "http://127.0.0.1:1"}
        with pytest.raises(StorageError, match="found no server that answers"):
            match_files(spark, request_of(storage, filled, reading=ReadOptions(storage=gone), storage=gone))

    def test_a_bucket_that_vanishes_while_a_run_is_on(self, spark, storage, filled, feed):
        """The lake's bucket; the run fails with its name, and when the bucket is back the lake is empty."""
        out = storage.make_bucket(f"vanishing{threading.get_native_id()}")
        local = {"events": (str(feed / "events"),), "subscriptions": (str(feed / "subscriptions.jsonl"),)}
        asked = request_of(storage, filled, **local, taxonomy=None, out=f"{out}/lake")

        class Vanishing:
            def begin(self, doing: str, total: int) -> None:
                storage.drop_bucket(out.removeprefix("s3://"))

            def see(self, counts: object) -> None: ...
            def end(self) -> None: ...

        with pytest.raises(PipelineError, match="no such bucket"):
            match_files(spark, asked, Vanishing())
        storage.make_bucket(out.removeprefix("s3://"))
        assert list_files(Location.of(f"{out}/lake", storage.options), recursive=True) == []
        assert match_files(spark, asked).run.events == EVENTS

    def test_a_folder_of_something_else(self, spark, storage, filled):
        with pytest.raises(LakeError, match="wanted a new folder, an empty one or an event lake"):
            match_files(spark, request_of(storage, filled, out=f"{filled}/feed"))


def test_by_command_with_options_and_with_the_environment(storage, filled, feed, monkeypatch):
    told = [sys.executable, "-m", "triplewire", "pipeline", "match", "-e", f"{filled}/feed/events"]
    told += ["-s", str(feed / "subscriptions.jsonl"), "-t", str(feed / "taxonomy.ttl"), "--master", "local[1]"]
    by_options = [*told, "-o", f"{filled}/lake", *storage.flags()]
    done = subprocess.run(by_options, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert set(rows_of(f"{filled}/lake", "notifications", storage.options, ANSWER)) == expected(feed)
    for key, value in storage.options.items():
        monkeypatch.setenv(key, value)
    by_variables = [*told, "-o", f"{filled}/lake", "--append", "--run-id", "again"]
    done = subprocess.run(by_variables, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert "a-secret-for-tests" not in done.stdout + done.stderr
    assert len(rows_of(f"{filled}/lake", "runs", storage.options, "run")) == 2
