"""Invitations: secrets that let new peers register, one a line of a file; whoever has none is not let in.

The file is read again when it has changed, so an invitation is given and taken back without a restart. Peers that have
registered stay, whatever becomes of their invitation.
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
    """Those of a file. Made with one that cannot be read, it raises `InputError`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int] | None = None
        self._known: frozenset[bytes] = frozenset()
        self._refresh()

    def invites(self, invitation: str) -> bool:
        """Whether whoever shows this may register. A file that is wrong now invites nobody."""
        try:
            self._refresh()
        except InputError as problem:
            _log.warning("no new peer is let in: %s", problem)
            return False
        # All of them, so that the time it takes tells nothing.
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
