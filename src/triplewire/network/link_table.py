"""The links of a super-peer: messages to members become frames to their addresses.

Links are made on demand. The link to a member that is gone is dropped with what waits on it; one to a member that does
not keep up is restarted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from triplewire.network.effects import Effect, SendMessage, SendPacket
from triplewire.network.hypercube.members import Members
from triplewire.network.link import FrameResult, Link
from triplewire.network.messages import LinkFrame

_SESSIONS_A_START = 1 << 32


class LinkTable:
    """Links by the other end's identifier. `sent` counts messages by their kind."""

    def __init__(self, me: str, members: Members, starts: int, retry: float) -> None:
        self.sent: Counter[str] = Counter()
        self._me = me
        self._members = members
        self._retry = retry
        self._links: dict[str, Link] = {}
        self._sessions = starts * _SESSIONS_A_START

    def send(self, now: float, action: SendMessage) -> list[Effect]:
        """Send a message to a member; one to anybody else is dropped."""
        if not self._members.is_alive(action.to) or action.to == self._me:
            return []
        self.sent[type(action.message).__name__] += 1
        return self._frames(action.to, self._link(now, action.to).send(now, action.message))

    def receive(self, now: float, sender: str, frame: LinkFrame) -> tuple[FrameResult, list[Effect]]:
        """Receive a frame: its result, and the frames to send back."""
        received = self._link(now, sender).receive(now, frame)
        return received, self._frames(sender, received.frames)

    def tick(self, now: float) -> tuple[list[Effect], list[str]]:
        """Retransmit, acknowledge, restart: the frames to send, and the members whose links were restarted."""
        effects: list[Effect] = []
        restarted = []
        for other, link in self._links.items():
            if link.is_overrun:
                restarted.append(other)
                effects += self._frames(other, link.restart(now))
            else:
                effects += self._frames(other, link.tick(now, self._retry))
        return effects, restarted

    def drop_absent(self) -> list[Effect]:
        """Drop the links to members that are gone, when the router drops them too.

        Not later: a member that returns a moment after that has to find a new session. And not sooner, as while we
        rejoin: then the router would not know that what was sent over the link is void.
        """
        absent = [other for other in self._links if not self._members.is_alive(other)]
        # A member that leaves waits for the acknowledgement.
        return [effect for other in absent for effect in self._frames(other, self._links.pop(other).acknowledge())]

    def is_idle(self, other: str) -> bool:
        """Whether everything that was sent to a member is acknowledged."""
        link = self._links.get(other)
        return link is None or link.is_idle

    @property
    def is_flushed(self) -> bool:
        """Whether everything that was sent to members that are alive is acknowledged."""
        return all(link.is_idle for other, link in self._links.items() if self._members.is_alive(other))

    def silent_for(self, now: float, other: str) -> float:
        """How long a member has owed an acknowledgement."""
        link = self._links.get(other)
        return 0.0 if link is None else link.silent_for(now)

    def answered_at(self, other: str) -> float:
        """When a member last acknowledged something."""
        link = self._links.get(other)
        return float("-inf") if link is None else link.answered_at

    def _frames(self, other: str, frames: Iterable[LinkFrame]) -> list[Effect]:
        member = self._members.get(other)
        return [] if member is None else [SendPacket(member.address, frame) for frame in frames]

    def _link(self, now: float, other: str) -> Link:
        link = self._links.get(other)
        if link is None:
            link = self._links[other] = Link(self._new_session, now)
        return link

    def _new_session(self) -> int:
        self._sessions += 1
        return self._sessions
