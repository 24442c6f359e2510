"""What has happened in the machine: counted, and said in the log where somebody may want to do something about it."""

from __future__ import annotations

import logging
from collections import Counter

from triplewire.federation.execution.effects import (
    CompensationRefused,
    ConditionFailed,
    Happening,
    MessageDropped,
    NotScheduled,
    RulesMissing,
    UnitAborted,
    UnitCommitted,
    UnitScheduled,
)
from triplewire.node.transport.rate_limited_log import RateLimitedLog

_QUIET = (UnitScheduled, UnitCommitted)
_WANTED = {
    UnitAborted: "the unit %(unit)s has aborted: %(reason)s",
    NotScheduled: "%(instance)s is not executed here: %(reason)s",
    RulesMissing: "rules that the change of %(unit)s needs may not be here: not everybody has answered yet",
    ConditionFailed: "the condition of %(rule)s was not evaluated for %(unit)s: %(reason)s",
    MessageDropped: "a message of %(sender)s about rules was dropped: %(reason)s",
    CompensationRefused: "nothing can be compensated at %(peer)s: %(reason)s",
}


class Happenings:
    """Counts what happens, by kind."""

    def __init__(self, log: logging.Logger) -> None:
        self.counts: Counter[str] = Counter()
        self._limited_log = RateLimitedLog(log)

    def note(self, happening: Happening) -> None:
        kind = type(happening)
        self.counts[kind.__name__] += 1
        if kind not in _QUIET:
            facts = {name: getattr(happening, name) for name in kind.__struct_fields__}
            text = _WANTED.get(kind)
            said = f"{happening}" if text is None else text % facts
            self._limited_log.warning(kind.__name__, "%s", said)
