"""The failure detector: a neighbour that does not answer is suspected, and failed if no other member reaches it.

A neighbour answers by acknowledging messages, and every heartbeat is one; so a link that is cut one way counts as cut,
on both sides. A suspect that others still reach is not declared failed: the link to it is broken, not the super-peer,
and what would go over that link waits until it works again. A super-peer without any contact is itself cut off; it
declares nobody failed, serves its own peers, and waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

from msgspec import Struct

from triplewire.network.effects import Action, SendPacket
from triplewire.network.hypercube.members import Members
from triplewire.network.messages import MemberStatus, Probe, ProbeAnswer
from triplewire.network.timings import Timings

_WITNESSES = 3


class _Suspicion(Struct):
    since: float
    is_reachable: bool = False


class FailureDetector:
    """The suspicions of one super-peer."""

    def __init__(self, me: str, members: Members, rng: Random, timings: Timings) -> None:
        self._me = me
        self._members = members
        self._rng = rng
        self._timings = timings
        self._suspects: dict[str, _Suspicion] = {}
        self._askers: dict[str, list[str]] = {}
        self._probed_at = 0.0
        self._answered_at: dict[str, float] = {}

    def mark_answered(self, now: float, sender: str) -> None:
        """A member has acknowledged something, or answered a probe."""
        self._answered_at[sender] = now

    def has_contact(self, now: float) -> bool:
        """Whether any member has answered recently."""
        since = now - self._timings.suspect_after
        return any(at >= since and self._members.is_alive(other) for other, at in self._answered_at.items())

    def check(self, now: float, neighbours: Iterable[str], silent_for: Callable[[str], float]) -> list[Action]:
        """Suspect neighbours that do not answer, and ask others to probe them."""
        actions: list[Action] = []
        for other in neighbours:
            if silent_for(other) < self._timings.suspect_after:
                self._suspects.pop(other, None)
            elif other not in self._suspects:
                self._suspects[other] = _Suspicion(now)
                actions += self._request_probes(other)
        return [*actions, *self._probe_failed(now)]

    def failed_members(self, now: float) -> list[str]:
        """The members that are to be declared failed now."""
        due = [other for other, found in self._suspects.items() if now - found.since >= self._timings.fail_after]
        failed = []
        for other in due:
            suspicion = self._suspects.pop(other)
            if self._members.is_alive(other) and not suspicion.is_reachable and self.has_contact(now):
                failed.append(other)
        return failed

    def probed(self, now: float, sender: str, probe: Probe) -> list[Action]:
        """Answer a probe, or probe another member on behalf of the sender."""
        if probe.about is None:
            return self._send(sender, ProbeAnswer())
        askers = self._askers.setdefault(probe.about, [])
        if sender not in askers:
            askers.append(sender)
        return self._send(probe.about, Probe())

    def answered(self, now: float, sender: str, answer: ProbeAnswer) -> list[Action]:
        """A member has answered a probe, or reports on another one that we asked about."""
        self.mark_answered(now, sender)
        about = answer.about or sender
        if about in self._suspects:
            # A direct answer shows only that one direction works; a neighbour must be reachable by others.
            self._suspects[about].is_reachable |= answer.about is not None
        askers = self._askers.pop(sender, []) if answer.about is None else []
        return [action for asker in askers for action in self._send(asker, ProbeAnswer(sender))]

    def _request_probes(self, other: str) -> list[Action]:
        others = [known for known in self._members.places if known not in (self._me, other)]
        witnesses = self._rng.sample(others, min(_WITNESSES, len(others)))
        return [action for witness in witnesses for action in self._send(witness, Probe(other))]

    def _probe_failed(self, now: float) -> list[Action]:
        """Probe one of the failed members: after a partition one side has to begin."""
        if now - self._probed_at < self._timings.probe_failed_every:
            return []
        self._probed_at = now
        lost = [member for member in self._members.all if member.status is MemberStatus.FAILED]
        if lost:
            return [SendPacket(self._rng.choice(lost).address, Probe())]
        return []

    def _send(self, to: str, what: Probe | ProbeAnswer) -> list[Action]:
        member = self._members.get(to)
        return [] if member is None else [SendPacket(member.address, what)]
