"""Lakes of the form before: folders of Parquet, with a record for each commit. They are read, and no longer written.

LAKE/TABLE/*.parquet                    the files of a table
LAKE/_triplewire/commits/ID.json        what a commit has added and removed, and the inputs of a micro-batch
LAKE/.staging/ID/TABLE/*.parquet        files of a commit that is decided, and not carried out yet
"""

from __future__ import annotations

import msgspec
import pyarrow.parquet as pq
from msgspec import Struct

from triplewire.errors import LakeError
from triplewire.pipeline.lake.delta_tables import TableFile
from triplewire.pipeline.lake.states import LakeState
from triplewire.pipeline.lake.tables import TABLES
from triplewire.pipeline.storage.files import list_files, read_bytes
from triplewire.pipeline.storage.location import Location


class OldCommit(Struct, frozen=True):
    """The record of a commit: files by their place under the lake."""

    id: str
    run: str
    adds: list[str]
    removes: list[str] = []
    inputs: list[str] = []


class OldState(LakeState):
    """The tables as their folders are now."""

    def __init__(self, root: Location) -> None:
        super().__init__(root, dict.fromkeys(TABLES))

    def files(self, table: str) -> list[TableFile]:
        found = [file for file in list_files(self.root / table) if file.location.name.endswith(".parquet")]
        return [
            TableFile(file.location.name, file.size, pq.read_metadata(file.location.local).num_rows) for file in found
        ]


def old_commits(folder: Location) -> list[OldCommit]:
    """The records in a folder, by name."""
    records = [file.location for file in list_files(folder) if file.location.name.endswith(".json")]
    try:
        return [msgspec.json.decode(read_bytes(record), type=OldCommit) for record in records]
    except msgspec.DecodeError as error:
        raise LakeError(f"the record of a commit is damaged: {error}", source=folder.uri) from None
