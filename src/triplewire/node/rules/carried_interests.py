"""Carried interests: what rules that listen wait for, as far as a network or a space can carry it to other nodes.

Elsewhere an interest is a subscription in SPARQL, and a text that is too long for one is read nowhere. A rule goes on
to be triggered by what is published at its own node.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from triplewire.algebra.subscriptions import Subscription
from triplewire.errors import InputError

_SHOWN = 200


class UncarriedInterest(Struct, frozen=True):
    """Events that the network does not bring here, as the query that they match, cut where it is long; and why."""

    interest: str
    reason: str


def uncarried(interests: Iterable[str]) -> tuple[UncarriedInterest, ...]:
    """Which of a rule's interests no other node can read.

    >>> uncarried(["ASK { ?x a <urn:Book> }"])
    ()
    """
    found = ((text, _problem(text)) for text in interests)
    return tuple(UncarriedInterest(_cut(text), reason) for text, reason in found if reason is not None)


def _problem(text: str) -> str | None:
    try:
        Subscription.parse(text, "sparql")
    except InputError as problem:
        return problem.message
    return None


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
