"""What waits in the outboxes of a node that was stopped, held against the updates that it has acknowledged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import msgspec

from benchmarks.views.loads import Acknowledged
from triplewire.store.database import Database
from triplewire.store.disk import Connection
from triplewire.store.tables import registry

_decode = msgspec.json.Decoder().decode


def check_told(folder: Path, acknowledged: Sequence[Acknowledged]) -> int:
    """Each view has to have been told of each update that touches it, once, and of nothing else.

    Returns how many notifications that were. Nobody has acknowledged any, so all of them are there.
    """
    wanted: defaultdict[str, list[int]] = defaultdict(list)
    for one in acknowledged:
        wanted[one.shelf.view].append(one.position)
    database = Database(folder / "data")
    found = database.read(_told)
    database.close()
    for view in wanted.keys() | found.keys():
        if sorted(wanted[view]) != found.get(view, []):
            raise RuntimeError(f"{view}: wanted the changes {sorted(wanted[view])}, was told of {found.get(view)}")
    return sum(map(len, found.values()))


def _told(tx: Connection) -> dict[str, list[int]]:
    """By view, the changes that it was told of after its whole answer, as they come."""
    names = {record.number: record.name for record in registry.everyone(tx)}
    told: dict[str, list[int]] = {name: [] for name in names.values()}
    rows = tx.execute("SELECT subscription, answer FROM outbox ORDER BY subscription, position").fetchall()
    for number, answer in rows:
        said = _decode(answer)
        if "answer" not in said:
            assert said["added"] or said["removed"], said
            told[names[number]].append(said["change"])
    return told
