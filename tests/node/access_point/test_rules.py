"""The access point's part in rules: who has joined is heard, and what is asked for is done once.

A stand-in for the federation says what it was told.
"""

from __future__ import annotations

import asyncio

import pytest
from tests.rules.family import FAMILY

from triplewire.errors import LimitExceeded, UnknownClient, UpdateRefused
from triplewire.federation.sites import session
from triplewire.federation.sites.requests import Matched, Received
from triplewire.federation.sites.session import Joined, NotJoined
from triplewire.federation.sites.site import PeerSite
from triplewire.network.sessions.access_point import effects as do
from triplewire.node.access_point.rules import PeerRules
from triplewire.store.tables.identities import Client, Rights
from triplewire.wire import peer_requests as ask
from triplewire.wire.network_rules import NetworkTransaction, RuleRelevance

ANN = Client("tw-ann", "peer", None, Rights())
JOIN = session.join(PeerSite("tw-ann", FAMILY).view, 4)
ANSWER = Matched("q", ())


class StandIn:
    def __init__(self) -> None:
        self.to_peer = None
        self.heard: list[tuple] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.problem: Exception | None = None

    async def peer_joined(self, peer, view, next_serial):
        if self.problem is not None:
            raise self.problem
        self.heard.append(("joined", peer, view.declared, next_serial))
        # It has something to ask at once.
        self.to_peer(peer, Received(next_serial - 1))

    async def peer_left(self, peer):
        self.heard.append(("left", peer))

    async def from_peer(self, peer, message):
        self.heard.append(("said", peer, message))

    async def submit(self, client, text, seconds, peer=""):
        self.heard.append(("submitted", client.id, text, seconds, peer))
        await self.gate.wait()
        return NetworkTransaction(transaction=f"sp-x/{len(self.heard)}", peer=peer, status="committed")

    async def remove_rule(self, client, rule):
        raise UpdateRefused(wanted="a rule of one's own", found=rule)

    async def relevance(self, client, text, seconds):
        return RuleRelevance(())


class Place:
    def __init__(self, federation: StandIn | None = None) -> None:
        self.federation = StandIn() if federation is None else federation
        self.told: list[tuple[str, object]] = []
        self.rules = PeerRules(self.federation, {"tw-ann": ANN}.get, self.tell)

    def tell(self, peer: str, body: bytes) -> None:
        self.told.append((peer, session.read_at_peer(body)))

    def asked(self, request, key: str = "k", peer: str = "tw-ann"):
        return self.rules.answer(do.AnswerRuleRequest(1, peer, key, ask.encode(request)))


async def test_a_peer_is_heard_once_it_has_joined_in_its_session():
    place = Place()
    await place.rules.receive("tw-ann", session.said_by_peer(ANSWER))
    assert place.federation.heard == []
    await place.rules.receive("tw-ann", JOIN)
    await place.rules.receive("tw-ann", session.said_by_peer(ANSWER))
    await place.rules.leave("tw-ann")
    await place.rules.receive("tw-ann", session.said_by_peer(ANSWER))
    await place.rules.leave("tw-ann")
    assert place.federation.heard == [
        ("joined", "tw-ann", FAMILY, 4),
        ("said", "tw-ann", ANSWER),
        ("left", "tw-ann"),
    ]
    assert place.told == [("tw-ann", Received(3)), ("tw-ann", Joined())]


async def test_who_has_not_joined_or_has_left_is_told_nothing():
    place = Place()
    place.federation.to_peer("tw-ann", Received(1))
    await place.rules.receive("tw-ann", JOIN)
    place.told.clear()
    await place.rules.leave("tw-ann")
    place.federation.to_peer("tw-ann", Received(1))
    assert place.told == []


async def test_a_peer_that_does_not_fit_is_told_why():
    place = Place()
    place.federation.problem = UpdateRefused(wanted="a schema that fits", found="another")
    await place.rules.receive("tw-ann", JOIN)
    assert place.told == [("tw-ann", NotJoined("a schema that fits", "another"))]
    place.federation.to_peer("tw-ann", Received(1))
    assert len(place.told) == 1


async def test_what_cannot_be_read_is_dropped():
    place = Place()
    await place.rules.receive("tw-ann", b"nonsense")
    await place.rules.receive("tw-ann", JOIN)
    assert len(place.federation.heard) == 1


async def test_what_is_too_large_to_tell_stops_nobody(monkeypatch):
    place = Place()
    await place.rules.receive("tw-ann", JOIN)

    def refuse(peer: str, body: bytes) -> None:
        raise LimitExceeded("rule_data_bytes", 3, wanted="at most 3 bytes", found="more")

    monkeypatch.setattr(place.rules, "_tell", refuse)
    place.federation.to_peer("tw-ann", Received(1))


async def test_a_request_is_done_once_however_often_it_comes():
    place = Place()
    place.federation.gate.clear()
    request = ask.SubmitUpdates("INSERT …", 5.0)
    first = asyncio.ensure_future(place.asked(request))
    again = asyncio.ensure_future(place.asked(request))
    while not place.federation.heard:
        await asyncio.sleep(0)
    place.federation.gate.set()
    assert await first == await again == await place.asked(request)
    assert place.federation.heard == [("submitted", "tw-ann", "INSERT …", 5.0, "tw-ann")]
    assert await place.asked(request, "another") != await first


async def test_what_the_federation_refuses_is_raised():
    place = Place()
    with pytest.raises(UpdateRefused):
        await place.asked(ask.RemoveRule("x"))
    with pytest.raises(UnknownClient):
        await place.asked(ask.ListRules(), peer="tw-bob")


async def test_one_peer_has_so_many_requests_at_once_and_another_its_own():
    place = Place()
    place.federation.gate.clear()
    request = ask.SubmitUpdates("INSERT …", 5.0)
    waiting = [asyncio.ensure_future(place.asked(request, f"k{number}")) for number in range(16)]
    while len(place.federation.heard) < 16:
        await asyncio.sleep(0)
    refused = await place.asked(request, "one more")
    assert isinstance(refused, do.Failed)
    assert refused.again
    place.federation.gate.set()
    await asyncio.gather(*waiting)
    assert isinstance(await place.asked(request, "one more"), do.RuleRequestAnswered)


async def test_nothing_waits_for_ever_when_it_stops():
    place = Place()
    place.federation.gate.clear()
    waiting = asyncio.ensure_future(place.asked(ask.SubmitUpdates("INSERT …", 5.0)))
    while not place.federation.heard:
        await asyncio.sleep(0)
    await place.rules.stop()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert place.federation.to_peer is None


async def test_without_a_federation_everybody_is_told_so():
    told: list[tuple[str, object]] = []
    rules = PeerRules(None, {}.get, lambda peer, body: told.append((peer, session.read_at_peer(body))))
    await rules.receive("tw-ann", JOIN)
    await rules.leave("tw-ann")
    assert told == [("tw-ann", NotJoined("an access point with rules across super-peers", "one without"))]
    found = await rules.answer(do.AnswerRuleRequest(1, "tw-ann", "k", ask.encode(ask.ListRules())))
    assert found == do.Failed("an access point with rules across super-peers", "one without")
