"""Withdrawal: an update that has not ended is dropped, because its client does not want it any more.

While it waits for its turn it is simply not executed. While it is executed, it is stopped where the deadline is checked
too, and undone. From the moment that it has been executed it cannot be withdrawn: its commit is on its way.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum

from triplewire.errors import UpdateEnded, UpdateWithdrawn


class Phase(StrEnum):
    """How far an update has come."""

    WAITING = "waiting"
    EXECUTING = "executing"
    ENDED = "ended"


class Withdrawal:
    """Whether one update is withdrawn. It is asked on the writer's thread, and withdrawn from another one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._phase = Phase.WAITING
        self._is_wanted = False

    def request(self) -> Phase:
        """Withdraw the update, unless it has ended: how far it has come, which says what is withdrawn."""
        with self._lock:
            self._is_wanted = self._is_wanted or self._phase is not Phase.ENDED
            return self._phase

    @contextmanager
    def executing(self) -> Iterator[None]:
        """While the update is executed. Raises `UpdateWithdrawn` before or after, if it is withdrawn."""
        self._enter(Phase.EXECUTING)
        yield
        self._enter(Phase.ENDED)

    def check(self) -> None:
        """Raise `UpdateWithdrawn` if the update is withdrawn."""
        if self._is_wanted:
            raise _withdrawn(Phase.EXECUTING)

    def _enter(self, phase: Phase) -> None:
        with self._lock:
            before, self._phase = self._phase, phase
            if self._is_wanted:
                raise _withdrawn(before)


class PendingUpdates:
    """The updates under way that have a key, by client and key."""

    def __init__(self) -> None:
        self._pending: dict[tuple[str, str], list[Withdrawal]] = {}

    @contextmanager
    def entered(self, client: str, key: str | None) -> Iterator[Withdrawal]:
        """While an update is under way; without a key nobody can withdraw it."""
        withdrawal = Withdrawal()
        if key is None:
            yield withdrawal
            return
        several = self._pending.setdefault((client, key), [])
        several.append(withdrawal)
        try:
            yield withdrawal
        finally:
            several.remove(withdrawal)
            if not several:
                self._pending.pop((client, key), None)

    def withdraw(self, client: str, key: str) -> Phase | None:
        """Withdraw what is under way under a key: how far it has come; None if there is nothing.

        Raises `UpdateEnded` if it has been executed, and only its commit is awaited.
        """
        phases = {withdrawal.request() for withdrawal in self._pending.get((client, key), ())}
        if not phases:
            return None
        if Phase.ENDED in phases:
            raise ended(key)
        return Phase.EXECUTING if Phase.EXECUTING in phases else Phase.WAITING


def ended(key: str) -> UpdateEnded:
    """The error for an update that cannot be withdrawn any more."""
    return UpdateEnded(wanted=f"an update under the key {key!r} that has not ended", found="one that has")


def _withdrawn(phase: Phase) -> UpdateWithdrawn:
    where = "while it waited for its turn" if phase is Phase.WAITING else "while it was executed"
    return UpdateWithdrawn(f"the update was withdrawn {where}; nothing has changed")
