"""What has happened in the machine: counted, and said in the log where somebody may want to do something about it."""

from __future__ import annotations

import logging
from collections import Counter

from msgspec.structs import asdict

from triplewire.federation.execution.effects import (
    CompensationRefused,
    ConditionFailed,
    Happening,
    MessageDropped,
    NotCompensated,
    NotScheduled,
    NotSerialisable,
    RulesMissing,
    SchemaLeftOut,
    SealedStays,
    UnitAborted,
)
from triplewire.node.transport.rate_limited_log import RateLimitedLog

_WORTH_A_LINE: dict[type, str] = {
    UnitAborted: "the unit {unit} has aborted: {reason}",
    SealedStays: "the unit {unit} stays, since its peer had committed it: {reason}",
    NotSerialisable: "these come before each other in a circle, and are committed for good: {units}",
    NotCompensated: "at {peer}, some of what {unit} had done stays, because others have built on it",
    NotScheduled: "{instance} is not executed here: {reason}",
    RulesMissing: "rules that the change of {unit} needs may not be here: not everybody has answered yet",
    ConditionFailed: "the condition of {rule} was not evaluated for {unit}: {reason}",
    MessageDropped: "a message of {sender} about rules was dropped: {reason}",
    SchemaLeftOut: "what {whose} declares is left out of the schema of all: {reason}",
    CompensationRefused: "nothing can be compensated at {peer}: {reason}",
}


class Happenings:
    """Counts what happens, by kind."""

    def __init__(self, log: logging.Logger) -> None:
        self.counts: Counter[str] = Counter()
        self._limited_log = RateLimitedLog(log)

    def note(self, happening: Happening) -> None:
        """Something has happened."""
        kind = type(happening)
        self.counts[kind.__name__] += 1
        text = _WORTH_A_LINE.get(kind)
        if text is not None:
            self._limited_log.warning(kind.__name__, "%s", text.format(**asdict(happening)))
