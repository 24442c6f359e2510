"""What Spark has written down of a query: its name, and how far each micro-batch reaches."""

from __future__ import annotations

from pathlib import Path

import msgspec

from triplewire.errors import LakeError

Offsets = dict[str, dict[str, int]]

_FIRST_SOURCE = 2


def query_id(checkpoint: Path) -> str:
    """The name that a query has for as long as its checkpoint is there."""
    return str(msgspec.json.decode(_text(checkpoint / "metadata"))["id"])


def kafka_ranges(checkpoint: Path, number: int) -> list[tuple[str, str, int | None, int]]:
    """Topic, partition, and where a micro-batch begins, if that is written down, and ends."""
    begin = _kafka_offsets(checkpoint / "offsets" / str(number - 1)) if number else {}
    end = _kafka_offsets(checkpoint / "offsets" / str(number))
    return [
        (topic, partition, begin.get(topic, {}).get(partition), until)
        for topic, partitions in sorted(end.items())
        for partition, until in sorted(partitions.items())
    ]


def _kafka_offsets(path: Path) -> Offsets:
    return msgspec.json.decode(_text(path).splitlines()[_FIRST_SOURCE], type=Offsets)


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except FileNotFoundError:
        raise LakeError(f"{path}: wanted what Spark has written down of the stream, found nothing") from None
