"""Rows are compiled in Spark's tasks as they are here."""

from __future__ import annotations

import pytest
from tests.pipeline.indexing.test_building import EVENTS, ROWS, table_of

from triplewire import Matcher
from triplewire.pipeline.indexing import compiling
from triplewire.pipeline.indexing.compiling import CompiledRows, compile_rows
from triplewire.testing.workloads import Row

BAD = [Row("bad", "sparql", "ASK { ?x"), Row("refused", "sparql", "ASK { SERVICE <urn:x> { ?s ?p ?o } }")]


def answers(compiled: CompiledRows) -> list[tuple[str, str]]:
    matcher = Matcher()
    matcher.add_parts(compiled.parts)
    return sorted((match.subscription_id, match.event.graph.value) for match in matcher.match_nquads(EVENTS))


def test_no_rows():
    assert compile_rows(None, table_of([])) == CompiledRows([], [])


@pytest.mark.system
def test_in_tasks_as_here(spark, monkeypatch):
    monkeypatch.setattr(compiling, "WORTH_A_JOB", 1)
    monkeypatch.setattr(compiling, "_ROWS_A_JOB", 50)
    table = table_of([*ROWS[:60], *BAD, *ROWS[60:]])
    here, there = compile_rows(None, table), compile_rows(spark, table)
    assert (len(here.parts), len(there.parts)) == (1, 6)
    assert there.refused == here.refused
    assert [problem.reject.subscription for problem in there.refused] == ["bad", "refused"]
    assert answers(there) == answers(here) != []
