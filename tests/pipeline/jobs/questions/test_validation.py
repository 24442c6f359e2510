"""Shapes over a lake's history."""

from __future__ import annotations

import pytest
from tests.pipeline.samples import EVENTS, rows_of

from triplewire.errors import BadInputRefused
from triplewire.pipeline.jobs.questions.validation import ValidateRequest, validate

pytestmark = pytest.mark.xdist_group("spark")

SHAPES = """@prefix sh: <http://www.w3.org/ns/shacl#> .
<urn:s> sh:targetSubjectsOf <http://example.org/year> ; sh:property [
    sh:path <http://example.org/year> ; sh:minInclusive 2010 ; sh:message "too old" ] .
"""


def test_what_does_not_conform_becomes_rejects_once(spark, own_lake, tmp_path):
    (tmp_path / "shapes.ttl").write_text(SHAPES)
    request = ValidateRequest(lake=str(own_lake), shapes=str(tmp_path / "shapes.ttl"), run_id="checked")
    payloads = dict(rows_of(own_lake, "events", "event, payload"))
    before = len(rows_of(own_lake, "rejects")) if (own_lake / "rejects").exists() else 0
    run = validate(spark, request).run
    rejects = rows_of(own_lake, "rejects", "event, file, reason, run")
    assert (run.events, run.job) == (EVENTS, "validate")
    assert run.rejects == len(rejects) - before > 10
    for event, file, reason, named in rejects:
        year = int(reason.split('value "')[1].split('"')[0])
        assert year < 2010
        assert str(year) in payloads[event].decode()
        assert (reason.startswith("shapes: too old: focus node <"), named) == (True, "checked")
        assert file.endswith(".nq")
    assert validate(spark, request).repeated
    again = ValidateRequest(lake=str(own_lake), shapes=str(tmp_path / "shapes.ttl"))
    assert validate(spark, again).run.rejects == 0


def test_a_strict_run_keeps_nothing(spark, own_lake, tmp_path):
    (tmp_path / "shapes.ttl").write_text(SHAPES)
    before = rows_of(own_lake, "runs")
    request = ValidateRequest(lake=str(own_lake), shapes=str(tmp_path / "shapes.ttl"), strict=True)
    with pytest.raises(BadInputRefused, match="too old"):
        validate(spark, request)
    assert rows_of(own_lake, "runs") == before
