"""Subscriptions as columns, before anybody parses them."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.pipeline.samples import write_rows

from triplewire.languages.files import each_subscription, parse_entry
from triplewire.pipeline.indexing.rows import SCHEMA, entries_in, read_rows
from triplewire.testing import workloads
from triplewire.testing.workloads import Row

GOOD = "ASK { ?s <urn:p> ?o }"


def subscribed(paths: list[Path]) -> list[str]:
    rows = read_rows(map(str, paths))
    parsed = [parse_entry(entry) for batch in rows.table.to_batches() for entry in entries_in(batch)]
    return sorted(map(repr, [*rows.bad, *parsed]))


def test_rows_are_the_entries_of_files_of_every_kind(tmp_path):
    write_rows(tmp_path / "a.jsonl", workloads.library(50, 1).rows())
    write_rows(
        tmp_path / "b.jsonl", [Row("s3", "sparql", GOOD), Row("bad", "sparql", "ASK {"), Row("x", "klingon", "")]
    )
    (tmp_path / "c.rq").write_text(GOOD)
    (tmp_path / "d.jsonl").write_text('{"id": 1}\n')
    pq.write_table(
        read_rows([str(tmp_path / "a.jsonl")])
        .table.select(["language", "text"])
        .append_column("id", [[f"p{number}" for number in range(50)]]),
        tmp_path / "e.parquet",
    )
    paths = [*sorted(tmp_path.iterdir()), tmp_path / "nothing.rq"]
    assert subscribed(paths) == sorted(map(repr, each_subscription(paths)))


def test_an_owner_may_be_missing(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": "a", "language": "sparql", "text": "ASK {}", "owner": "o"}\n' * 1)
    write_rows(tmp_path / "b.jsonl", [Row("b", "sparql", GOOD)])
    table = read_rows([str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")]).table
    assert table.column("owner").to_pylist() == ["o", None]


def test_no_row_at_all(tmp_path):
    rows = read_rows([str(tmp_path / "nothing")])
    assert rows.table.schema == SCHEMA
    assert (rows.table.num_rows, rows.characters, len(rows.bad)) == (0, 0, 1)


@pytest.mark.parametrize("count", [1, 20_000, 20_001])
def test_rows_come_in_batches(tmp_path, count):
    write_rows(tmp_path / "a.jsonl", (Row(f"s{n}", "sparql", GOOD) for n in range(count)))
    table = read_rows([str(tmp_path / "a.jsonl")]).table
    assert table.num_rows == count
    assert table.column("id")[count - 1].as_py() == f"s{count - 1}"
    assert table.column("place")[count - 1].as_py() == count
