"""`--assemble`: quads that arrive one by one become events in the lake, exactly once; late ones are rejects."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.pipeline.jobs.stream.streams import asked
from tests.pipeline.samples import notified, rows_of, write_rows

from triplewire.errors import InputError, LakeError
from triplewire.pipeline.jobs.stream import Assembly, Folder, NodeLog, StreamRequest, stream
from triplewire.testing.workloads import Row

pytestmark = pytest.mark.xdist_group("spark")

START = 1_700_000_000


class Quads:
    """A folder in which files of quads appear, each dated so many seconds after the start."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "events").mkdir(parents=True)
        write_rows(folder / "subscriptions.jsonl", [Row("pair", "sparql", "ASK { ?s <urn:p> <urn:1>, <urn:2> }")])

    def appear(self, seconds: int, *lines: str) -> None:
        draft = self.folder / "events" / f".{seconds}.nq"
        draft.write_text("".join(f"{line}\n" for line in lines))
        os.utime(draft, (START + seconds,) * 2)
        draft.rename(draft.with_name(f"{seconds}.nq"))

    def asked(self, lake: Path, **others) -> StreamRequest:
        source = Folder(str(self.folder / "events"), files_at_once=1)
        apart = Assembly("10 seconds", "20 seconds")
        return asked(self.folder, lake, source=source, assembly=apart, taxonomy=None, **others)


class Breaks:
    """A sink that breaks the driver off right after the lake's commit, as often as it is told to."""

    def __init__(self, times: int) -> None:
        self.times = times

    def deliver(self, *_: object) -> int:
        if self.times:
            self.times -= 1
            raise InputError("broken off")
        return 0


def quad(event: int, number: int) -> str:
    return f"<urn:s> <urn:p> <urn:{number}> <urn:event:{event}> ."


def test_events_are_put_together_over_micro_batches_that_are_broken_off_and_late_quads_are_kept(spark, tmp_path):
    quads, lake, breaks = Quads(tmp_path / "feed"), tmp_path / "lake", Breaks(2)
    quads.appear(0, quad(1, 1), quad(2, 1))
    quads.appear(5, quad(1, 2), "no quad at all")
    quads.appear(100, quad(3, 2))
    quads.appear(101, quad(3, 1))
    broken = 0
    while True:
        try:
            stream(spark, quads.asked(lake, sinks=(breaks,)))
            break
        except InputError:
            broken += 1
    assert (broken, breaks.times) == (2, 0)
    quads.appear(3, quad(2, 2))
    quads.appear(300, quad(4, 1))
    stream(spark, quads.asked(lake))
    payloads = dict(rows_of(lake, "events", "event, payload"))
    assert {name: data.decode().splitlines() for name, data in payloads.items()} == {
        "urn:event:1": [quad(1, 1), quad(1, 2)],
        "urn:event:2": [quad(2, 1)],
        "urn:event:3": [quad(3, 1), quad(3, 2)],
    }
    assert len(rows_of(lake, "events", "event")) == len(payloads)
    assert notified(lake) == [("pair", "urn:event:1"), ("pair", "urn:event:3")]
    rejects = rows_of(lake, "rejects", "event, reason")
    [late] = [reason for event, reason in rejects if event == "urn:event:2"]
    assert late.startswith("late: ")
    assert late.endswith(quad(2, 2))
    assert [reason.endswith("no quad at all") for event, reason in rejects if event is None] == [True]
    assert len(rejects) == 2
    batches = rows_of(lake, "runs", "batch, events")
    assert len({batch for batch, _ in batches}) == len(batches)
    assert sum(events for _, events in batches) == 3


def test_a7_an_event_that_grows_beyond_its_limit_is_a_reject(spark, tmp_path):
    quads, lake = Quads(tmp_path / "feed"), tmp_path / "lake"
    large = [f'<urn:s> <urn:p> "{"x" * 1_000}{n}" <urn:large> .' for n in range(1_100)]
    quads.appear(0, *large, quad(1, 1))
    quads.appear(100, quad(2, 1))
    stream(spark, quads.asked(lake))
    assert rows_of(lake, "events", "event") == [("urn:event:1",)]
    [(event, reason)] = rows_of(lake, "rejects", "event, reason")
    assert (event, reason.startswith("event too large: wanted at most 1,048,576 bytes, found 1,1")) == (
        "urn:large",
        True,
    )


def test_without_its_checkpoint_a_stream_that_puts_events_together_is_refused(spark, tmp_path):
    quads, lake = Quads(tmp_path / "feed"), tmp_path / "lake"
    quads.appear(0, quad(1, 1))
    quads.appear(100, quad(2, 1))
    stream(spark, quads.asked(lake))
    before = rows_of(lake, "events")
    shutil.rmtree(lake / "_triplewire" / "streams" / "stream")
    quads.appear(200, quad(3, 1))
    with pytest.raises(
        LakeError, match=r"its checkpoint was removed or changed\. Put it back as .*another stream: --name"
    ):
        stream(spark, quads.asked(lake))
    assert rows_of(lake, "events") == before


def test_what_cannot_be_put_together_is_refused(tmp_path):
    with pytest.raises(InputError, match="wanted an interval"):
        Assembly("soon")
    with pytest.raises(InputError, match="its events are whole"):
        StreamRequest(source=NodeLog(None), subscriptions=(), out="lake", assembly=Assembly())
