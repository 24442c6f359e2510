"""Watching the neighbours: who does not answer is suspected, and given up if nobody else hears it either.

A neighbour answers by acknowledging what was said to it, and something is said to it with every beat; so a line that is
cut one way counts as cut, on both sides. A suspect that others still hear is not given up: the line to it is broken,
not the super-peer, and what would go over that line waits until it is whole again. Whoever hears nobody at all is the
one that is cut off; it gives nobody up, serves its own peers, and waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

from msgspec import Struct

from triplewire.network.effects import Deed, Send
from triplewire.network.hypercube.members import Members
from triplewire.network.messages import Heard, Probe, Status
from triplewire.network.timings import Timings

_WITNESSES = 3


class _Suspicion(Struct):
    since: float
    is_heard: bool = False


class Watching:
    """Suspicions of one super-peer."""

    def __init__(self, me: str, members: Members, rng: Random, timings: Timings) -> None:
        self._me = me
        self._members = members
        self._rng = rng
        self._timings = timings
        self._suspects: dict[str, _Suspicion] = {}
        self._asked: dict[str, list[str]] = {}
        self._sought_at = 0.0
        self._heard_at: dict[str, float] = {}

    def heard(self, now: float, sender: str) -> None:
        """A member has shown that it hears us."""
        self._heard_at[sender] = now

    def hears_anybody(self, now: float) -> bool:
        """Whether anybody at all has answered lately."""
        since = now - self._timings.silence
        return any(at >= since and self._members.is_alive(other) for other, at in self._heard_at.items())

    def look(self, now: float, neighbours: Iterable[str], silent_for: Callable[[str], float]) -> list[Deed]:
        """Suspect who is silent, and ask others about it."""
        deeds: list[Deed] = []
        for other in neighbours:
            if silent_for(other) < self._timings.silence:
                self._suspects.pop(other, None)
            elif other not in self._suspects:
                self._suspects[other] = _Suspicion(now)
                deeds += self._ask_about(other)
        return [*deeds, *self._seek(now)]

    def verdicts(self, now: float) -> list[str]:
        """Who is to be given up now."""
        due = [other for other, found in self._suspects.items() if now - found.since >= self._timings.verdict]
        failed = []
        for other in due:
            suspicion = self._suspects.pop(other)
            if self._members.is_alive(other) and not suspicion.is_heard and self.hears_anybody(now):
                failed.append(other)
        return failed

    def probed(self, now: float, sender: str, probe: Probe) -> list[Deed]:
        """Somebody asks whether we hear it, or another."""
        if probe.about is None:
            return self._send(sender, Heard())
        askers = self._asked.setdefault(probe.about, [])
        if sender not in askers:
            askers.append(sender)
        return self._send(probe.about, Probe())

    def answered(self, now: float, sender: str, heard: Heard) -> list[Deed]:
        """Somebody hears us, or another that we asked about."""
        self.heard(now, sender)
        about = heard.about or sender
        if about in self._suspects:
            # A direct answer shows only that one way is open; a neighbour must be heard by others to be whole.
            self._suspects[about].is_heard |= heard.about is not None
        askers = self._asked.pop(sender, []) if heard.about is None else []
        return [deed for asker in askers for deed in self._send(asker, Heard(sender))]

    def _ask_about(self, other: str) -> list[Deed]:
        others = [known for known in self._members.places if known not in (self._me, other)]
        witnesses = self._rng.sample(others, min(_WITNESSES, len(others)))
        return [deed for witness in witnesses for deed in self._send(witness, Probe(other))]

    def _seek(self, now: float) -> list[Deed]:
        """Look for one of those that were given up: after a partition somebody has to begin."""
        if now - self._sought_at < self._timings.seek:
            return []
        self._sought_at = now
        lost = [member for member in self._members.all if member.status is Status.FAILED]
        if lost:
            return [Send(self._rng.choice(lost).address, Probe())]
        return []

    def _send(self, to: str, what: Probe | Heard) -> list[Deed]:
        member = self._members.get(to)
        return [] if member is None else [Send(member.address, what)]
