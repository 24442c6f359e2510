"""Outputs of a `RuleMachine`: what its shell sends and says, once the input that they came of is on the disk."""

from __future__ import annotations

from msgspec import Struct

from triplewire.federation.execution.effects import Happening, ToPeer


class Relay(Struct, frozen=True):
    """Send a body to another super-peer. It may get lost, and is repeated."""

    to: str
    data: bytes


class Broadcast(Struct, frozen=True):
    """Send a body to every super-peer. Whoever misses it hears of it by an exchange."""

    data: bytes


class RuleRegistered(Struct, frozen=True):
    """The answer to `Register`: the global identifier."""

    rule: str


class TransactionSubmitted(Struct, frozen=True):
    """The answer to `Submit`: the name of the transaction."""

    unit: str


class InquiryBegun(Struct, frozen=True):
    """The answer to `AskRelevance` and `AskTrace`: the name under which `InquiryAnswered` follows, perhaps at once."""

    inquiry: str


Output = Relay | Broadcast | ToPeer | RuleRegistered | TransactionSubmitted | InquiryBegun | Happening
