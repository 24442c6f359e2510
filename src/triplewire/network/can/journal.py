"""The journal: what a node of a space must find again after a restart, as records under keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol


class Journal(Protocol):
    """Records in named tables. A change is seen at once, and is on the disk when the shell has committed it.

    The shell sends nothing that a step returned before it has committed what the step wrote.
    """

    def put(self, table: str, key: bytes, value: bytes) -> None: ...

    def get(self, table: str, key: bytes) -> bytes | None: ...

    def delete(self, table: str, key: bytes) -> None: ...

    def items(self, table: str, prefix: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Keys that begin with a prefix, and their values, in the order of the keys."""
        ...
