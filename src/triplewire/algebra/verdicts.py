"""What the reasoner can say: yes with a witness, no with a proof, or that it does not know."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct


class Answer(Enum):
    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class Verdict(Struct, frozen=True):
    """Whether something holds, and one sentence why."""

    holds: bool
    reason: str

    def __bool__(self) -> bool:
        return self.holds
