"""The links of a super-peer: what is to be said to a member becomes frames to its address.

Links are made when they are needed. One to somebody that is gone is dropped with what waits on it; one to somebody that
does not keep up begins anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from triplewire.network.effects import Effect, Say, Send
from triplewire.network.hypercube.members import Members
from triplewire.network.link import Link, Received
from triplewire.network.messages import Frame

_SESSIONS_A_START = 1 << 32


class Linking:
    """Links by the other end's identifier. `said` counts messages by their kind."""

    def __init__(self, me: str, members: Members, starts: int, retry: float) -> None:
        self.said: Counter[str] = Counter()
        self._me = me
        self._members = members
        self._retry = retry
        self._links: dict[str, Link] = {}
        self._sessions = starts * _SESSIONS_A_START

    def say(self, now: float, deed: Say) -> list[Effect]:
        """Say something to a member; to anybody else nothing is said."""
        if not self._members.is_alive(deed.to) or deed.to == self._me:
            return []
        self.said[type(deed.message).__name__] += 1
        return self._frames(deed.to, self._link(now, deed.to).send(now, deed.message))

    def receive(self, now: float, sender: str, frame: Frame) -> tuple[Received, list[Effect]]:
        """Take a frame: what came of it, and what goes back."""
        received = self._link(now, sender).receive(now, frame)
        return received, self._frames(sender, received.frames)

    def tend(self, now: float) -> tuple[list[Effect], list[str]]:
        """Repeat, acknowledge, begin anew: frames to send, and with whom a link began anew."""
        effects: list[Effect] = []
        anew = []
        for other, link in self._links.items():
            if link.is_overrun:
                anew.append(other)
                effects += self._frames(other, link.restart(now))
            else:
                effects += self._frames(other, link.tick(now, self._retry))
        return effects, anew

    def drop_absent(self) -> list[Effect]:
        """End the links to those that are gone, when the router drops them too.

        Not later: one who is back a moment after that has to find a new session. And not sooner, as while we join
        again: then nobody here would know that what was said over the link is void.
        """
        absent = [other for other in self._links if not self._members.is_alive(other)]
        # Somebody that leaves waits for the acknowledgement.
        return [effect for other in absent for effect in self._frames(other, self._links.pop(other).acknowledge())]

    def is_idle(self, other: str) -> bool:
        """Whether everything that was said to somebody is acknowledged."""
        link = self._links.get(other)
        return link is None or link.is_idle

    @property
    def is_flushed(self) -> bool:
        """Whether everything that was said to anybody is."""
        return all(link.is_idle for other, link in self._links.items() if self._members.is_alive(other))

    def silence(self, now: float, other: str) -> float:
        """How long somebody has owed us an answer."""
        link = self._links.get(other)
        return 0.0 if link is None else link.silent_for(now)

    def answered_at(self, other: str) -> float:
        """When somebody last showed that it hears us."""
        link = self._links.get(other)
        return float("-inf") if link is None else link.answered_at

    def _frames(self, other: str, frames: Iterable[Frame]) -> list[Effect]:
        member = self._members.get(other)
        return [] if member is None else [Send(member.address, frame) for frame in frames]

    def _link(self, now: float, other: str) -> Link:
        link = self._links.get(other)
        if link is None:
            link = self._links[other] = Link(self._new_session, now)
        return link

    def _new_session(self) -> int:
        self._sessions += 1
        return self._sessions
