"""The administrator: made at a node's first start, and given another secret when that one is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from triplewire.errors import InputError
from triplewire.node.access.identity import new_secret
from triplewire.store.clock import SystemClock
from triplewire.store.database import FILE, Database
from triplewire.store.tables import identities
from triplewire.store.tables.identities import UNLIMITED, Client, Rights, hash_of

ADMIN = "admin"
ADMINISTRATOR = Client(ADMIN, "administrator", None, Rights(quotas=UNLIMITED, is_admin=True))


def reset(folder: Path, show: Callable[[str], None]) -> None:
    """Give the administrator of a node that does not run another secret.

    It is shown before it is kept: whatever ends the process in between, nobody is locked out by it.
    """
    if not (folder / FILE).is_file():
        raise InputError(wanted=f"the data folder of a node, with {FILE} in it", found=f"none in {folder}")
    database = Database(folder)
    try:
        secret = new_secret()
        show(secret)
        kept = hash_of(secret)
        now = SystemClock().now().timestamp()
        database.writer.submit(lambda tx: identities.insert(tx, ADMINISTRATOR, kept, now)).result()
    finally:
        database.close()
