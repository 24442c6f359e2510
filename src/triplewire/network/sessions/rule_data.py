"""Bodies about rules in a session: opaque here, in parts if they are large, and whole again at the other end.

A part may be lost. What it belongs to is lost then, and whoever said it says it again.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from triplewire.errors import LimitExceeded

PART_BYTES = 256 << 10
MOST_BYTES = 32 << 20
_MOST_PARTS = MOST_BYTES // PART_BYTES


class RuleData(Struct, frozen=True, tag="rules", array_like=True):
    """A part of a body. Bodies are numbered in each direction of a session."""

    number: Annotated[int, Meta(ge=1)]
    part: Annotated[int, Meta(ge=0, lt=_MOST_PARTS)]
    parts: Annotated[int, Meta(ge=1, le=_MOST_PARTS)]
    data: Annotated[bytes, Meta(max_length=PART_BYTES)]


class RuleDataSplitter:
    """One direction of a session, at the end that sends."""

    def __init__(self) -> None:
        self._number = 0

    def parts(self, body: bytes) -> list[RuleData]:
        """A body in parts. Raises `LimitExceeded`."""
        check_size(body)
        self._number += 1
        pieces = [body[start : start + PART_BYTES] for start in range(0, len(body), PART_BYTES)] or [b""]
        return [RuleData(self._number, index, len(pieces), piece) for index, piece in enumerate(pieces)]


class RuleDataAssembler:
    """One direction of a session, at the end that receives.

    >>> splitter, assembler = RuleDataSplitter(), RuleDataAssembler()
    >>> body = bytes(PART_BYTES + 1)
    >>> [whole == body if (whole := assembler.add(part)) else None for part in splitter.parts(body)]
    [None, True]
    """

    def __init__(self) -> None:
        self._number = 0
        self._parts: list[bytes] = []

    @property
    def size(self) -> int:
        """How many bytes wait for the rest of their body."""
        return sum(map(len, self._parts))

    def add(self, message: RuleData) -> bytes | None:
        """Take a part; the whole body, if that was its last one."""
        if message.part == 0:
            self._number, self._parts = message.number, []
        if message.number != self._number or message.part != len(self._parts):
            # Something before it is missing: so is the body.
            self.clear()
            return None
        self._parts.append(message.data)
        if len(self._parts) < message.parts:
            return None
        body = b"".join(self._parts)
        self.clear()
        return body

    def clear(self) -> None:
        """Forget what waits."""
        self._number, self._parts = 0, []


def check_size(body: bytes) -> None:
    """Raise `LimitExceeded` for a body that is too large for a session."""
    if len(body) > MOST_BYTES:
        wanted = f"at most {MOST_BYTES:,} bytes about rules at once"
        raise LimitExceeded("rule_data_bytes", MOST_BYTES, wanted=wanted, found=f"{len(body):,}")
