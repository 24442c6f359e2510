"""Identities: who a client is, what it may do and how much of it.

The node keeps the hash of a client's secret, never the secret. The secret is 256 random bits, so a plain hash is
enough: there is nothing to guess.
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from triplewire.store.disk import Connection

MIB = 1 << 20
Count = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
_COLUMNS = "id, name, public_key, rights"


# A word that is not known is refused: a grant that says `namespace` where it means `namespaces` would be everything.
class Grant(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What may be published or read: IRIs of properties and of graphs, by their beginning. None is everything."""

    namespaces: tuple[str, ...] | None = None
    graphs: tuple[str, ...] | None = None

    @property
    def is_everything(self) -> bool:
        return self.namespaces is None and self.graphs is None


class Quotas(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """How much a client may have. None is as much as it likes."""

    events_per_second: Annotated[float, Meta(gt=0, le=1e9)] | None = 10_000
    subscriptions: Count | None = 1_000
    unindexed: Count | None = 10
    outbox_bytes: Count | None = 256 * MIB
    notifications_per_second: Annotated[float, Meta(gt=0, le=1e9)] | None = 5_000


UNLIMITED = Quotas(
    events_per_second=None, subscriptions=None, unindexed=None, outbox_bytes=None, notifications_per_second=None
)


class Rights(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a client may do. No grant is no right at all."""

    publish: Grant | None = Grant()
    subscribe: Grant | None = Grant()
    quotas: Quotas = Quotas()
    is_admin: bool = False


class Client(Struct, frozen=True):
    """A client as it is kept; the identifier is public."""

    id: str
    name: str
    public_key: bytes | None
    rights: Rights


def hash_of(secret: str) -> bytes:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode(errors="surrogatepass")).digest()


def insert(connection: Connection, client: Client, secret_hash: bytes, registered: float) -> None:
    """Keep a new client, or give a known one a new secret and new rights."""
    connection.execute(
        "INSERT OR REPLACE INTO clients (id, name, public_key, secret_hash, rights, registered) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (client.id, client.name, client.public_key, secret_hash, msgspec.json.encode(client.rights), registered),
    )


def delete(connection: Connection, client_id: str) -> bool:
    """Forget a client; whether there was one."""
    return connection.execute("DELETE FROM clients WHERE id = ?", (client_id,)).rowcount > 0


def everyone(connection: Connection) -> dict[bytes, Client]:
    """Every client, by the hash of its secret."""
    rows = connection.execute(f"SELECT secret_hash, {_COLUMNS} FROM clients ORDER BY registered").fetchall()
    return {row[0]: _client(row[1:]) for row in rows}


def _client(row: tuple[Any, ...]) -> Client:
    client_id, name, public_key, rights = row
    return Client(client_id, name, public_key, msgspec.json.decode(rights, type=Rights))
