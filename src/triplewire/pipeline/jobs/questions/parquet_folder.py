"""A DataFrame as a new folder of Parquet, on any storage: tasks write the files themselves, as those of a lake."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from triplewire.errors import InputError
from triplewire.pipeline.storage.files import delete_file, list_files, open_output
from triplewire.pipeline.storage.location import Location

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_NAMES = pa.schema([("name", pa.string())])
_COMPRESSION = "zstd"


def require_new(folder: Location) -> None:
    """Raise `InputError` if there is something in a folder already."""
    if list_files(folder):
        raise InputError(wanted="a new folder or an empty one", found="files in it", source=str(folder))


def write_folder(frame: DataFrame, folder: Location, schema: pa.Schema) -> None:
    """Write all rows. What tasks have written that failed, or were repeated, goes; without rows there is one file."""
    require_new(folder)
    names = {row.name for row in frame.mapInArrow(_writing(folder, schema), "name string").collect()}
    for file in list_files(folder):
        if file.location.name not in names:
            delete_file(file.location)
    if not names:
        _write(folder, schema, iter(()))


def _writing(folder: Location, schema: pa.Schema) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (batch for batch in batches if len(batch))
        first = next(rows, None)
        if first is not None:
            name = _write(folder, schema, _with(first, rows))
            yield pa.RecordBatch.from_arrays([pa.array([name])], schema=_NAMES)

    return run


def _with(first: pa.RecordBatch, rest: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield first
    yield from rest


def _write(folder: Location, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> str:
    """One file; returns its name."""
    name = f"part-{uuid.uuid4().hex}.parquet"
    with open_output(folder / name) as file, pq.ParquetWriter(file, schema, compression=_COMPRESSION) as writer:
        for batch in batches:
            writer.write_table(pa.Table.from_batches([batch]).cast(schema))
    return name
