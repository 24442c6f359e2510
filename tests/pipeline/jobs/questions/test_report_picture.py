"""Pictures of reports."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from triplewire.errors import UnknownFormat
from triplewire.pipeline.jobs.questions.report_picture import draw
from triplewire.pipeline.jobs.questions.reporting import Bucket, Fired, Report, Together

NOW = datetime(2024, 5, 1, tzinfo=UTC)
# What looks like a formula is a name all the same.
REPORT = Report(
    events=3,
    matched=2,
    notifications=3,
    bucket_seconds=60,
    fired=[Fired("cost $^$", 2, 2, ["fast"], NOW, NOW), Fired("b" * 100, 1, 1, ["general"], NOW, NOW)],
    together=[Together("b" * 100, "cost $^$", 1, 0.5)],
    over_time=[Bucket(NOW, 3, 2, 3)],
)
EMPTY = Report(events=0, matched=0, notifications=0, bucket_seconds=1, fired=[], together=[], over_time=[])


@pytest.mark.parametrize("report", [REPORT, EMPTY], ids=["full", "empty"])
def test_a_picture_in_each_format(tmp_path, report):
    for name, start in (("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")):
        draw(report, tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)


def test_a_file_that_is_no_picture_is_refused(tmp_path):
    with pytest.raises(UnknownFormat, match=r"wants one of \.png, \.svg, \.pdf, found 'a\.docx'"):
        draw(REPORT, tmp_path / "a.docx")
    assert not list(tmp_path.iterdir())
