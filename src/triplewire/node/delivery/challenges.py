"""Does the receiver want this? (row A14)

Before a webhook is stored its address gets a signed message with a random word, and must answer with that word.
Nobody can point a node at a server that does not know about it.
"""

from __future__ import annotations

import hmac
from typing import Any

import msgspec

from triplewire.errors import DeliveryFailed


def challenge_body(subscription: str, word: str) -> bytes:
    """What is sent: `{"type":"challenge","subscription":...,"challenge":...}`."""
    return msgspec.json.encode({"type": "challenge", "subscription": subscription, "challenge": word})


def check_answer(word: str, answer: bytes) -> None:
    """The receiver must answer with the word, bare or as `{"challenge": word}`."""
    if not hmac.compare_digest(word.encode(), _word_in(answer)):
        raise DeliveryFailed("wanted the challenge's word in the answer, found something else")


def _word_in(answer: bytes) -> bytes:
    try:
        found: Any = msgspec.json.decode(answer)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return answer.strip()
    if isinstance(found, dict):
        found = found.get("challenge")
    return found.encode() if isinstance(found, str) else b""
