"""A stream token is good for one stream of one client, for a while; a changed one is worth nothing (A12)."""

from __future__ import annotations

import base64

import pytest

from triplewire.errors import Unauthenticated
from triplewire.node.access.stream_tokens import PREFIX, StreamTokens
from triplewire.testing import VirtualClock


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def hashes() -> dict[str, bytes]:
    return {"me": b"my secret's hash", "you": b"your secret's hash"}


@pytest.fixture
def tokens(clock: VirtualClock, hashes: dict[str, bytes]) -> StreamTokens:
    return StreamTokens(clock, 60.0, hashes.get)


def test_a_token_says_who_may_read_what(tokens):
    claim = tokens.claim(tokens.issue("me", 7))
    assert (claim.client, claim.subscription) == ("me", 7)


def test_a_token_expires(tokens, clock):
    token = tokens.issue("me", 7)
    clock.advance(60)
    assert tokens.claim(token).subscription == 7
    clock.advance(0.1)
    with pytest.raises(Unauthenticated, match="at most 60 s old"):
        tokens.claim(token)


def test_a12_a_token_with_any_bit_changed_is_refused(tokens):
    data = base64.urlsafe_b64decode(tokens.issue("me", 7).removeprefix(PREFIX) + "==")
    for bit in range(8 * len(data)):
        forged = bytearray(data)
        forged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(Unauthenticated):
            tokens.claim(PREFIX + base64.urlsafe_b64encode(forged).decode())


@pytest.mark.parametrize("token", ["", "twt_", "twt_!", "twt_AAAA", "é", "tws_" + "A" * 43, "A" * 5])
def test_a12_what_is_no_token_is_refused(tokens, token: str):
    with pytest.raises(Unauthenticated):
        tokens.claim(token)


def test_a12_a_token_of_another_process_is_refused(tokens, clock, hashes):
    with pytest.raises(Unauthenticated):
        tokens.claim(StreamTokens(clock, 60.0, hashes.get).issue("me", 7))


def test_a12_a_token_ends_with_its_clients_secret(tokens, hashes):
    token = tokens.issue("me", 7)
    hashes["me"] = b"another"
    with pytest.raises(Unauthenticated, match="present secret"):
        tokens.claim(token)
    del hashes["me"]
    with pytest.raises(Unauthenticated, match="present secret"):
        tokens.claim(token)
