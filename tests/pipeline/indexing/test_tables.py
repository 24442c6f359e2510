"""Subscriptions from a Delta table are those of its newest version."""

from __future__ import annotations

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from triplewire.errors import InputError
from triplewire.pipeline.indexing.rows import read_rows
from triplewire.pipeline.indexing.tables import with_delta_tables


def rows(*names: str) -> pa.Table:
    entries = [{"id": name, "language": "sparql", "text": "ASK { ?s <urn:p> ?o }"} for name in names]
    return pa.Table.from_pylist(entries)


def ids(path: str) -> list[str]:
    found = read_rows(with_delta_tables([path]))
    assert not found.bad
    return sorted(found.table.column("id").to_pylist())


def test_what_was_overwritten_does_not_count(tmp_path):
    path = str(tmp_path / "my table")
    write_deltalake(path, rows("a", "b"))
    write_deltalake(path, rows("c"), mode="append")
    assert ids(path) == ["a", "b", "c"]
    write_deltalake(path, rows("d"), mode="overwrite")
    assert ids(path) == ["d"]


def test_other_paths_stay_what_they_are(tmp_path):
    assert with_delta_tables([str(tmp_path), "nowhere.rq"]) == [str(tmp_path), "nowhere.rq"]


def test_a_log_that_says_nothing_is_an_error_with_the_tables_name(tmp_path):
    (tmp_path / "table" / "_delta_log").mkdir(parents=True)
    with pytest.raises(InputError, match="wanted a Delta table that can be read") as raised:
        with_delta_tables([str(tmp_path / "table")])
    assert str(tmp_path / "table") in str(raised.value)


def test_an_empty_table(tmp_path):
    write_deltalake(str(tmp_path / "t"), rows("a").slice(0, 0))
    with pytest.raises(InputError, match="found a Delta table without any"):
        with_delta_tables([str(tmp_path / "t")])
