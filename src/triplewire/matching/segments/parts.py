"""Parts: subscriptions that were compiled in one process and are indexed in another, as bytes."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from msgspec import Struct

from triplewire.errors import SnapshotError
from triplewire.matching.segments.records import SegmentDraft, Strings, SubscriptionRecords
from triplewire.matching.segments.shapes import SolutionShape

FORMAT = 1
_CODEC = "zstd"
# The fastest that there is: parts go through Spark's driver, and texts that differ in constants shrink to a fifth.
_LEVEL = 1


class CompiledPart(Struct, frozen=True):
    """Subscriptions that are compiled and not indexed."""

    records: SubscriptionRecords
    shapes: list[SolutionShape]


class _Written(Struct, frozen=True):
    """What is packed: each array's type and bytes, by the name of its field."""

    format: int
    size: int
    shapes: list[SolutionShape]
    arrays: dict[str, tuple[str, bytes]]


def part_of(draft: SegmentDraft) -> bytes:
    """Compile what was drafted."""
    records, shapes = draft.records()
    arrays: dict[str, tuple[str, bytes]] = {}
    for name, value in records._asdict().items():
        fields = value._asdict() if isinstance(value, Strings) else {"": value}
        arrays |= {f"{name}.{field}": (array.dtype.str, array.tobytes()) for field, array in fields.items()}
    packed = msgspec.msgpack.encode(_Written(FORMAT, records.size, shapes, arrays))
    size = len(packed).to_bytes(8, "little")
    compressed: bytes = pa.Codec(_CODEC, compression_level=_LEVEL).compress(packed, asbytes=True)
    return size + compressed


def read_part(data: bytes) -> CompiledPart:
    """What `part_of` has written."""
    try:
        packed = pa.Codec(_CODEC).decompress(data[8:], int.from_bytes(data[:8], "little"), asbytes=True)
        written = msgspec.msgpack.decode(packed, type=_Written)
    except (msgspec.DecodeError, OSError, ValueError) as error:
        raise SnapshotError(f"the part of an index is damaged: {error}") from error
    if written.format != FORMAT:
        raise SnapshotError(wanted=f"the part of an index, of format {FORMAT}", found=f"format {written.format}")
    arrays = {name: np.frombuffer(bytearray(content), kind) for name, (kind, content) in written.arrays.items()}
    fields: dict[str, Any] = {
        name: arrays[f"{name}."]
        if f"{name}." in arrays
        else Strings(**{field: arrays[f"{name}.{field}"] for field in Strings._fields})
        for name in SubscriptionRecords._fields
    }
    return CompiledPart(SubscriptionRecords(**fields), written.shapes)
