"""Peers with repositories: what they say about rules goes to the node's federation, and what it says goes to them.

What a session carries is read here. A peer takes part once it has joined in its present session; before that, nothing
that it says counts. A request of its owner is done once, however often it comes.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

from triplewire.errors import LimitExceeded, TriplewireError, UnknownClient
from triplewire.federation.indexes.group_index import PeerView
from triplewire.federation.sites import session
from triplewire.federation.sites.requests import FromPeer, FromSuperPeer
from triplewire.federation.sites.session import Joined, Joining, NotJoined
from triplewire.network.sessions.access_point import effects as do
from triplewire.node.transport.rate_limited_log import RateLimitedLog
from triplewire.store.tables.identities import Client
from triplewire.wire import peer_requests as ask
from triplewire.wire.network_rules import (
    AbortName,
    NetworkRule,
    NetworkRules,
    NetworkTrace,
    NetworkTransaction,
    RuleRelevance,
)

_log = logging.getLogger(__name__)

_MOST_ANSWERS = 1_000
_MOST_AT_ONCE = 16
_NO_RULES = NotJoined("an access point with rules across super-peers", "one without")
Tell = Callable[[str, bytes], None]
ClientOf = Callable[[str], Client | None]


class PeerFederation(Protocol):
    """What an access point needs of the node's federation. `to_peer` is set here; who is not there hears nothing."""

    to_peer: Callable[[str, FromSuperPeer], None] | None

    async def peer_joined(self, peer: str, view: PeerView, next_serial: int) -> None: ...

    async def peer_left(self, peer: str) -> None: ...

    async def from_peer(self, peer: str, message: FromPeer) -> None: ...

    async def put_rule(self, client: Client, name: str, text: str, abort: AbortName | None) -> NetworkRule: ...

    async def remove_rule(self, client: Client, rule: str) -> None: ...

    async def rules(self, client: Client) -> list[NetworkRule]: ...

    async def relevance(self, client: Client, text: str, seconds: float) -> RuleRelevance: ...

    async def submit(self, client: Client, text: str, seconds: float, peer: str = "") -> NetworkTransaction: ...

    async def withdraw(self, client: Client, unit: str) -> NetworkTransaction: ...

    async def transaction(self, client: Client, unit: str) -> NetworkTransaction: ...

    async def trace(self, client: Client, unit: str, seconds: float) -> NetworkTrace: ...


class PeerRules:
    """`tell` sends a body to a peer that is on-line; `client_of` is who a peer is for the node."""

    def __init__(self, federation: PeerFederation | None, client_of: ClientOf, tell: Tell) -> None:
        self._federation = federation
        self._client_of = client_of
        self._tell = tell
        self._joined: set[str] = set()
        self._answers: OrderedDict[tuple[str, str], asyncio.Task[ask.PeerAnswer]] = OrderedDict()
        self._limited_log = RateLimitedLog(_log)
        if federation is not None:
            federation.to_peer = self.send

    # Bodies

    async def receive(self, peer: str, body: bytes) -> None:
        """A peer has sent a body. One that cannot be read is dropped: the peer repeats what it waits for."""
        if self._federation is None:
            self._tell(peer, session.answer_to_join(_NO_RULES))
            return
        try:
            found = session.read_at_super_peer(body)
            if isinstance(found, Joining):
                await self._join(self._federation, peer, found)
            elif peer in self._joined:
                await self._federation.from_peer(peer, found)
        except TriplewireError as problem:
            self._limited_log.warning("message", "a message of %s about rules was dropped: %s", peer, problem)

    async def _join(self, federation: PeerFederation, peer: str, joining: Joining) -> None:
        # What it is asked for at once, because it has joined, is not to be lost.
        self._joined.add(peer)
        answer: Joined | NotJoined = Joined()
        try:
            await federation.peer_joined(peer, joining.view, joining.next_serial)
        except TriplewireError as problem:
            self._joined.discard(peer)
            answer = NotJoined(problem.wanted or "a peer that fits", problem.found or str(problem))
        self._tell(peer, session.answer_to_join(answer))

    async def leave(self, peer: str) -> None:
        """The session of a peer has ended."""
        if self._federation is not None and peer in self._joined:
            self._joined.discard(peer)
            await self._federation.peer_left(peer)

    def send(self, peer: str, message: FromSuperPeer) -> None:
        """Say something to a peer. What is lost is said again."""
        if peer not in self._joined:
            return
        try:
            self._tell(peer, session.said_by_super_peer(message))
        except LimitExceeded as problem:
            self._limited_log.error("size", "%s cannot be told what it waits for: %s", peer, problem)

    async def stop(self) -> None:
        """Answer nothing more, and pass nothing on."""
        if self._federation is not None:
            self._federation.to_peer = None
        tasks = list(self._answers.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # Requests

    async def answer(self, effect: do.AnswerRuleRequest) -> do.Outcome:
        """Answer a request of a peer's owner. One that comes again waits for the first one's answer."""
        if self._federation is None:
            return do.Failed(_NO_RULES.wanted, _NO_RULES.found)
        key = (effect.peer, effect.key)
        task = self._answers.get(key)
        if task is None:
            under_way = [peer for (peer, _), task in self._answers.items() if not task.done()]
            if under_way.count(effect.peer) >= _MOST_AT_ONCE:
                return do.Failed(f"at most {_MOST_AT_ONCE} requests about rules at once", "more", again=True)
            task = self._answers[key] = asyncio.create_task(self._answer(self._federation, effect.peer, effect.body))
            self._forget_old()
        answer = await asyncio.shield(task)
        return do.RuleRequestAnswered(ask.encode(answer))

    def _forget_old(self) -> None:
        excess = max(0, len(self._answers) - _MOST_ANSWERS)
        for key in [key for key, task in self._answers.items() if task.done()][:excess]:
            del self._answers[key]

    async def _answer(self, federation: PeerFederation, peer: str, body: bytes) -> ask.PeerAnswer:
        client = self._client_of(peer)
        if client is None:
            raise UnknownClient(wanted=f"the client {peer!r}", found="none of that name")
        match ask.decode_request(body):
            case ask.PutRule(name, text, abort):
                return await federation.put_rule(client, name, text, abort)
            case ask.RemoveRule(rule):
                await federation.remove_rule(client, rule)
                return ask.Removed()
            case ask.ListRules():
                return NetworkRules(tuple(await federation.rules(client)))
            case ask.FindRelevance(text, seconds):
                return await federation.relevance(client, text, seconds)
            case ask.SubmitUpdates(text, seconds):
                return await federation.submit(client, text, seconds, peer)
            case ask.WithdrawTransaction(unit):
                return await federation.withdraw(client, unit)
            case ask.FindTransaction(unit):
                return await federation.transaction(client, unit)
            case ask.TraceTransaction(unit, seconds):
                return await federation.trace(client, unit, seconds)
