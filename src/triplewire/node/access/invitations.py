"""Invitations: secrets that allow somebody new to register, one a line of a file.

The file is read again when it has changed, so invitations are added and removed without a restart. Whoever has
registered stays, also if the invitation is removed.
"""

from __future__ import annotations

import hmac
import logging
from pathlib import Path

from triplewire.errors import InputError

_log = logging.getLogger(__name__)

SHORTEST = 16
_MOST_BYTES = 1 << 20


class Invitations:
    """The invitations of a file. `InputError` if it cannot be read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int] | None = None
        self._known: frozenset[bytes] = frozenset()
        self._refresh()

    def invites(self, invitation: str) -> bool:
        """Whether somebody with this invitation may register. With a file that became invalid nobody may."""
        try:
            self._refresh()
        except InputError as problem:
            _log.warning("nobody new is let in: %s", problem)
            return False
        # All of them, so that the time it takes reveals nothing.
        return sum(hmac.compare_digest(one, invitation.encode()) for one in self._known) > 0

    def _refresh(self) -> None:
        try:
            status = self._path.stat()
            if self._seen == (status.st_mtime_ns, status.st_size):
                return
            self._known = _read(self._path)
        except (OSError, ValueError) as problem:
            raise InputError(
                wanted="a file of invitations", found=f"something else: {problem}", source=str(self._path)
            ) from None
        self._seen = (status.st_mtime_ns, status.st_size)


def _read(path: Path) -> frozenset[bytes]:
    with path.open("rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise ValueError(f"more than {_MOST_BYTES:,} bytes")
    lines = [line.strip() for line in data.split(b"\n")]
    found = frozenset(line for line in lines if line and not line.startswith(b"#"))
    # Nothing of what was found is shown: it is secret.
    if any(len(line) < SHORTEST for line in found):
        raise ValueError(f"an invitation of less than {SHORTEST} characters")
    return found
