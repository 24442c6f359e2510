"""Where a DataFrame is written to, by the options of the format `triplewire`.

path       a lake; with `storage.KEY`, what --storage-option takes
runId      the name of a batch: one that the lake has already is not written again
name       the name of a stream: with Spark's number it names each micro-batch
node       the URL of a node instead, with `secretFile` on the driver's host, or TRIPLEWIRE_SECRET there
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark.sql.datasource import DataSourceStreamWriter, DataSourceWriter

from triplewire.errors import InputError
from triplewire.pipeline.jobs.run_records import new_run_id
from triplewire.pipeline.lake.commit_names import checked_name
from triplewire.pipeline.sinks.lake_writer import JOB, LakeBatchWriter, LakeStreamWriter, new_target
from triplewire.pipeline.sinks.node_writer import NodeBatchWriter, NodeStreamWriter, NodeTarget
from triplewire.pipeline.sinks.written_rows import table_of
from triplewire.pipeline.storage.location import Location
from triplewire.pipeline.storage.options import merged_options

_FORMAT = 'the format "triplewire"'
_STORAGE = "storage."
_SECRET = "TRIPLEWIRE_SECRET"


def batch_writer(options: Mapping[str, str], columns: Sequence[str], *, overwrite: bool) -> DataSourceWriter:
    """What `df.write` uses."""
    if overwrite:
        raise InputError(subject=_FORMAT, wanted='mode("append"): it merges by event', found='mode("overwrite")')
    table = table_of(columns)
    if "node" in options:
        return NodeBatchWriter(_node(options, table))
    run = checked_name(options.get("runid") or new_run_id(JOB))
    return LakeBatchWriter(new_target(_lake(options), table, run))


def stream_writer(options: Mapping[str, str], columns: Sequence[str]) -> DataSourceStreamWriter:
    """What `df.writeStream` uses."""
    table = table_of(columns)
    if "node" in options:
        return NodeStreamWriter(_node(options, table))
    if "name" not in options:
        raise InputError(
            subject=_FORMAT, wanted="the option name, by which a stream is known in the lake", found="none"
        )
    return LakeStreamWriter(new_target(_lake(options), table, checked_name(options["name"])))


def _lake(options: Mapping[str, str]) -> Location:
    path = options.get("path")
    if not path:
        raise InputError(subject=_FORMAT, wanted="a lake, as in .save(LAKE), or the option node", found="neither")
    storage = {key.removeprefix(_STORAGE): value for key, value in options.items() if key.startswith(_STORAGE)}
    return Location.of(path, merged_options(storage)).absolute()


def _node(options: Mapping[str, str], table: str) -> NodeTarget:
    file = options.get("secretfile")
    secret = os.environ.get(_SECRET) if file is None else Path(file).read_text(encoding="utf-8").strip()
    return NodeTarget(options["node"], table, secret or None)
