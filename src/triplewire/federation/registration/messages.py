"""What super-peers say to each other about rules."""

from __future__ import annotations

from msgspec import Struct

from triplewire.federation.registration.records import RuleRecord


class Registered(Struct, frozen=True, tag="registered", array_like=True):
    """A rule was registered. Broadcast."""

    record: RuleRecord


class Unregistered(Struct, frozen=True, tag="unregistered", array_like=True):
    """A rule is no more. Broadcast."""

    rule: str


class Summary(Struct, frozen=True, tag="summary", array_like=True):
    """What the sender has data of, and which of the receiver's rules it holds."""

    nodes: tuple[str, ...]
    held: tuple[str, ...]


class Correction(Struct, frozen=True, tag="correction", array_like=True):
    """Answers a summary: rules of the sender that the receiver lacks, and those it holds that are no more."""

    missing: tuple[RuleRecord, ...]
    gone: tuple[str, ...]


class RulesWanted(Struct, frozen=True, tag="wanted", array_like=True):
    """Asks for rules that need one of the `grown` classes and properties, where there is data of `nodes`."""

    query: str
    grown: tuple[str, ...]
    nodes: tuple[str, ...]
    dimension: int


class RulesFound(Struct, frozen=True, tag="found", array_like=True):
    """Answers `RulesWanted`: the sender's rules and those behind it; whether everybody behind it has answered."""

    query: str
    records: tuple[RuleRecord, ...]
    is_complete: bool
