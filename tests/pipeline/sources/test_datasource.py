"""`readStream.format("triplewire")`: every file once, whatever its time and however many fit a micro-batch."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from triplewire.errors import InputError
from triplewire.pipeline.sources.datasource import EventFiles, register

pytestmark = pytest.mark.xdist_group("spark")

DAY = 86_400
START = 1_700_000_000


class Folder:
    """A folder in which files appear by renaming, dated so many days after the start, and a stream of them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "in").mkdir()

    def appear(self, name: str, day: int = 0) -> None:
        draft = self.root / "in" / f".{name}.nq"
        draft.write_text(f"<urn:s> <urn:p> <urn:o> <urn:{name}> .\n")
        os.utime(draft, (START + day * DAY,) * 2)
        draft.rename(self.root / "in" / f"{name}.nq")

    def drain(self, spark: SparkSession, most: int = 1, **options: str) -> None:
        register(spark)
        reader = spark.readStream.format("triplewire").option("maxFilesPerTrigger", str(most)).options(**options)
        writer = reader.load(str(self.root / "in")).select("event").writeStream.format("parquet")
        writer = writer.option("checkpointLocation", str(self.root / "checkpoint")).trigger(availableNow=True)
        query = writer.start(str(self.root / "out"))
        assert query.awaitTermination(180)

    def events(self, spark: SparkSession) -> list[str]:
        return sorted(row.event for row in spark.read.parquet(str(self.root / "out")).collect())

    @property
    def batches(self) -> int:
        return len([path for path in (self.root / "checkpoint" / "commits").iterdir() if path.name.isdigit()])


def test_available_now_takes_all_that_is_there_in_as_many_micro_batches_as_it_needs(spark, tmp_path):
    folder = Folder(tmp_path)
    for number in range(5):
        folder.appear(f"e{number}", number)
    folder.drain(spark, most=2)
    assert (folder.events(spark), folder.batches) == ([f"urn:e{n}" for n in range(5)], 3)


def test_a_file_that_appears_with_an_older_time_is_read_and_none_is_read_twice(spark, tmp_path):
    folder = Folder(tmp_path)
    folder.appear("new", 100)
    folder.drain(spark)
    folder.appear("old", 1)
    folder.appear("same", 100)
    folder.drain(spark)
    folder.drain(spark)
    assert folder.events(spark) == ["urn:new", "urn:old", "urn:same"]


class TestOffsets:
    """What Spark asks of a reader, without Spark."""

    @pytest.fixture
    def folder(self, tmp_path) -> Folder:
        folder = Folder(tmp_path)
        for name in "abc":
            folder.appear(name, ord(name))
        return folder

    def reader(self, folder: Folder, **options: str):
        return EventFiles({"path": str(folder.root / "in"), **options}).streamReader(None)

    def read(self, reader, start, end) -> list[str]:
        batches = [batch for part in reader.partitions(start, end) for batch in reader.read(part)]
        return [name for batch in batches for name in batch.column("event").to_pylist()]

    def test_spark_before_4_2_asks_without_saying_where_it_is_and_gets_all(self, folder):
        first = self.reader(folder).latestOffset()
        assert self.read(self.reader(folder), self.reader(folder).initialOffset(), first) == ["urn:a", "urn:b", "urn:c"]
        folder.appear("older", 0)
        again = self.reader(folder)
        assert self.read(again, first, again.latestOffset()) == ["urn:older"]

    def test_what_appears_after_available_now_has_begun_is_for_the_next_query(self, folder):
        reader = self.reader(folder)
        reader.prepareForTriggerAvailableNow()
        folder.appear("later", 200)
        end = reader.latestOffset(reader.initialOffset(), None)
        assert self.read(reader, reader.initialOffset(), end) == ["urn:a", "urn:b", "urn:c"]
        assert reader.latestOffset(end, None) == end

    def test_a_path_that_has_gone_is_forgotten_when_others_come(self, folder):
        reader = self.reader(folder)
        first = reader.latestOffset(reader.initialOffset(), None)
        (folder.root / "in" / "a.nq").unlink()
        assert reader.latestOffset(first, None) == first
        folder.appear("d", 1)
        assert reader.latestOffset(first, None)["files"] == 3

    def test_a_folder_that_is_empty_for_once_makes_nothing_forgotten(self, folder):
        reader = self.reader(folder)
        first = reader.latestOffset(reader.initialOffset(), None)
        (folder.root / "in").rename(folder.root / "away")
        assert reader.latestOffset(first, None) == first

    def test_files_that_were_listed_and_are_gone_are_told(self, folder):
        reader = self.reader(folder)
        start, end = reader.initialOffset(), reader.latestOffset(reader.initialOffset(), None)
        (folder.root / "in" / "b.nq").unlink()
        with pytest.raises(InputError, match="wanted 3 files that were listed, found 1 of them gone"):
            reader.partitions(start, end)
        assert self.read(self.reader(folder, mode="DROPMALFORMED"), start, end) == ["urn:a", "urn:c"]
        kept = self.reader(folder, mode="PERMISSIVE")
        [*_, last] = [batch for part in kept.partitions(start, end) for batch in kept.read(part)]
        assert last.column("problem").to_pylist() == ["1 files that were listed are gone"]

    def test_an_offset_of_an_older_version_is_refused(self, folder):
        with pytest.raises(InputError, match="begin with another checkpointLocation"):
            self.reader(folder).partitions({"modified": 0, "names": []}, self.reader(folder).latestOffset())


def test_a_file_that_nobody_reads_is_told_not_taken_for_an_empty_folder(spark, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "notes.txt").touch()
    register(spark)
    reader = spark.readStream.format("triplewire").load(str(tmp_path / "in" / "*"))
    query = (
        reader.writeStream.format("noop").option("checkpointLocation", str(tmp_path / "c")).trigger(availableNow=True)
    )
    with pytest.raises(PySparkException, match="wanted a known file suffix"):
        query.start().awaitTermination(120)
