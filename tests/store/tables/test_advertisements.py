"""What clients have advertised survives."""

from __future__ import annotations

from pathlib import Path

import msgspec

from triplewire.store import Database
from triplewire.store.tables import advertisements
from triplewire.store.tables.advertisements import AdvertisementRecord


def kept(database: Database) -> list[AdvertisementRecord]:
    return database.read(advertisements.everyone)


def test_an_advertisement_is_kept_replaced_and_forgotten(tmp_path: Path):
    database = Database(tmp_path)
    one = AdvertisementRecord("me", "papers", "rdf", ends=5.0)
    derived = AdvertisementRecord("me", "", "derived", is_derived=True)
    for record in (one, derived):
        database.writer.submit(lambda tx, record=record: advertisements.put(tx, record)).result(120)
    assert kept(database) == [derived, one]
    later = msgspec.structs.replace(one, ends=9.0)
    database.writer.submit(lambda tx: advertisements.put(tx, later)).result(120)
    # The one that expired is not the one that stands there now.
    database.writer.submit(lambda tx: advertisements.remove(tx, one)).result(120)
    assert kept(database) == [derived, later]
    database.writer.submit(lambda tx: advertisements.remove(tx, later)).result(120)
    database.writer.submit(lambda tx: advertisements.remove(tx, derived)).result(120)
    assert kept(database) == []
    database.close()
