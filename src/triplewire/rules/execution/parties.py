"""Parties: who is behind a schedule and behind its rules, and what that means where something fails.

A rule that fails takes along what triggered it, if its abort dependency says so, only where both are of one owner or
the rule is a guard. Otherwise it is independent (section 3.2): it is undone, and what triggered it stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from triplewire.errors import TriplewireError
from triplewire.rules.changes import Edits


def no_guard(_owner: str) -> bool:
    """Nobody's rules guard what others do."""
    return False


def nothing_refused(_owner: str, _edits: Edits) -> TriplewireError | None:
    """Everybody may write everything."""
    return None


class Parties(Struct, frozen=True):
    """`author` has sent the updates, `owners` are those of the rules, by rule; whoever is not listed is the author.

    `is_guard` tells whose rules may make anybody's updates fail, `refusal` why an owner may not write something.
    `silent` are rules that do not fire.
    """

    author: str = ""
    owners: Mapping[str, str] = {}
    is_guard: Callable[[str], bool] = no_guard
    refusal: Callable[[str, Edits], TriplewireError | None] = nothing_refused
    silent: frozenset[str] = frozenset()

    def owner_of(self, rule: str) -> str:
        return self.owners.get(rule, self.author)

    def binds(self, rule: str, parent: str | None) -> bool:
        """Whether a rule may take along what triggered it: another rule, or, if None, the author's transaction."""
        owner = self.owner_of(rule)
        return owner == (self.author if parent is None else self.owner_of(parent)) or self.is_guard(owner)

    def is_foreign(self, rule: str) -> bool:
        """Whether the rule is somebody else's than the author's, and no guard."""
        return not self.binds(rule, None)
