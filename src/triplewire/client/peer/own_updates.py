"""Updates that the owner of a home asks for: each transaction of a text is done whole or not at all, and reported.

Under a key a text is done once, also where a program was killed in the middle of it and the next one goes on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from triplewire.client.peer.home_repository import HomeRepository
from triplewire.errors import InputError
from triplewire.federation.sites.requests import Report, Told
from triplewire.languages.rdftl import parse_updates
from triplewire.languages.rdftl.syntax import Update


class OwnTransaction(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of a transaction. `serial` is that of its report."""

    transaction: str
    status: Literal["committed", "failed"]
    inserted: int = 0
    deleted: int = 0
    serial: int = 0
    error: str = ""


def execute(repository: HomeRepository, text: str, key: str = "") -> tuple[OwnTransaction, ...]:
    """Do the transactions of a text, each for itself. Raises `SyntaxProblem`."""
    found = _transactions(parse_updates(text))
    return tuple(_executed(repository, name, group, f"{key}/{name}" if key else "") for name, group in found.items())


def _transactions(updates: Iterable[Update]) -> dict[str, list[Update]]:
    """Updates of one name are one transaction."""
    found: dict[str, list[Update]] = {}
    for update in updates:
        found.setdefault(update.transaction, []).append(update)
    return found


def _executed(repository: HomeRepository, name: str, updates: list[Update], key: str) -> OwnTransaction:
    try:
        told = repository.change(updates, name=name, key=key)
    except InputError as problem:
        return OwnTransaction(transaction=name, status="failed", error=str(problem))
    return _committed(name, told)


def _committed(name: str, told: Told) -> OwnTransaction:
    assert isinstance(told.what, Report), "a change of its own is reported"
    edits = told.what.changes.edits
    return OwnTransaction(
        transaction=name,
        status="committed",
        inserted=len(edits.inserted),
        deleted=len(edits.deleted),
        serial=told.serial,
    )
