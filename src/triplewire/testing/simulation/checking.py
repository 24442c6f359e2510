"""What checkers of histories have in common: a violation of a rule, and how it is shown."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

from msgspec import Struct

from triplewire.testing.simulation.history import Timed


class Violation(Struct, frozen=True):
    """A rule that was broken, and the records that explain it."""

    time: float
    rule: str
    sentence: str
    context: tuple[Timed, ...] = ()


class HistoryChecker(ABC):
    """Judges a run by rules."""

    @abstractmethod
    def violations(self) -> Iterator[Violation]:
        """All violations."""

    def first_violation(self) -> Violation | None:
        """The earliest violation; None if the history is right."""
        return min(self.violations(), key=lambda violation: violation.time, default=None)


def explained(violation: Violation, seed: int, trace: Iterable[str] = ()) -> str:
    """A text with the violation, its seed, and the end of the trace."""
    lines = [f"seed {seed}: {violation.rule} at {violation.time:.3f} s: {violation.sentence}"]
    lines += [f"    {record}" for record in violation.context]
    lines += [f"  {line}" for line in trace]
    return "\n".join(lines)
