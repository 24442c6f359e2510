"""A running node: the broker, who its clients are, the repository, and what looks after them."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from typing import Protocol

from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import Forbidden, StoreError, TriplewireError, Unauthenticated, UnknownClient
from triplewire.network.sessions.access_point.records import AccessPointSettings
from triplewire.node.access import access_tokens, identity
from triplewire.node.access.access_tokens import AccessTokens
from triplewire.node.access.administrator import ADMIN, ADMINISTRATOR
from triplewire.node.access.invitations import Invitations
from triplewire.node.access.stream_tokens import StreamTokens
from triplewire.node.access_point.service import AccessPointService
from triplewire.node.broker.advertisements import Advertisements
from triplewire.node.broker.broker import Broker
from triplewire.node.delivery import Loopback, Streams, Webhooks
from triplewire.node.federation.service import Federation
from triplewire.node.overlay.overlay import Overlay
from triplewire.node.overlay.overlay_settings import overlay_settings, scaled_rule_timings
from triplewire.node.repository.following import Allowed, Result
from triplewire.node.repository.replica import Replica
from triplewire.node.repository.repository import Repository
from triplewire.node.sepa.registration import Registrar
from triplewire.node.settings import Settings
from triplewire.node.space.space import Space
from triplewire.node.space.space_settings import space_settings
from triplewire.node.transport.addresses import require_own_address
from triplewire.rdf.parsing.contexts import Contexts
from triplewire.store.clock import Clock
from triplewire.store.disk import Disk
from triplewire.store.retention import Retention
from triplewire.store.tables import identities, metadata
from triplewire.store.tables.identities import UNLIMITED, Client, Rights, hash_of
from triplewire.system.supervisor import Supervisor

_log = logging.getLogger(__name__)

ANONYMOUS = Client("anonymous", "anybody", None, Rights(quotas=UNLIMITED, is_admin=True))
_TRIALS = 2
_NODE_KEY = "node_private_key"


class Queries(Protocol):
    """Answers SPARQL queries over every event that is kept."""

    async def query(self, text: str, media_type: str) -> Result: ...


class Node:
    """Make one with `await Node.open(settings)`, `begin`, and `stop` it."""

    def __init__(self, settings: Settings, broker: Broker) -> None:
        self.settings = settings
        self.broker = broker
        self._allowed = Allowed(settings.query_seconds, settings.query_memory)
        self.repository = Repository(settings.data / "repository", broker, self._allowed)
        self.replica = Replica(settings.data / "replica", broker, self._allowed)
        self.contexts = Contexts.load(settings.contexts)
        self.id = ""
        self.streams = Streams(broker.notifications)
        loopback = Loopback.ALLOWED if settings.allow_loopback_webhooks else Loopback.REFUSED
        self.webhooks = Webhooks(broker, loopback=loopback)
        self.tokens = StreamTokens(broker.clock, settings.token_seconds, self._secret_hash)
        self.access_tokens = AccessTokens(broker.clock, settings.sepa_token_seconds, self._secret_hash)
        self.advertisements = Advertisements(broker)
        self.overlay: Overlay | None = None
        self.federation: Federation | None = None
        self.space: Space | None = None
        self.peers: AccessPointService | None = None
        self.registrar: Registrar
        # Bytes that wait to be sent by SEPA's protocol, by client.
        self.sepa_waiting: Counter[str] = Counter()
        self.failed = asyncio.Event()
        self.began = broker.clock.monotonic()
        # So many queries are tried at a time on what is in the log: whoever publishes shares the processor with them.
        self.trials = asyncio.Semaphore(_TRIALS)
        self._by_secret: dict[bytes, Client] = {}
        self._hashes: dict[str, bytes] = {}
        self._tasks = Supervisor()
        # Subscribers of others' protocols that are asked whether they mean it.
        self.checks = Supervisor()

    @classmethod
    async def open(cls, settings: Settings, *, disk: Disk | None = None, clock: Clock | None = None) -> Node:
        """Open the data folder."""
        file = settings.sepa_invitations
        invitations = None if file is None else Invitations(file)
        unregistered = (ANONYMOUS,) if settings.open else ()
        seconds = settings.rule_seconds
        broker = await Broker.open(
            settings.data,
            disk=disk,
            clock=clock,
            unregistered=unregistered,
            rule_seconds=seconds,
            change_quads=settings.change_quads,
        )
        node = cls(settings, broker)
        node._watch_the_disk()
        node._know(await node.broker.store.read(identities.everyone))
        node.id = await node._identified()
        node.registrar = Registrar(await node._private_key(), invitations, is_open=settings.open)
        await node.advertisements.load()
        return node

    async def begin(self) -> None:
        """Begin to do what a node does by itself: follow, deliver, be a super-peer or in a space, tidy."""
        self.webhooks.start()
        await self.replica.start()
        if (sharing := space_settings(self.settings)) is not None:
            self.space = await Space.open(self.broker, self.settings.data / "space", sharing, self._allowed)
            await self.space.begin()
        else:
            # A space answers queries itself, over what all its nodes keep.
            await self.repository.start()
        if (plan := overlay_settings(self.settings)) is not None:
            self.overlay = await Overlay.open(self.broker, self.advertisements, plan)
            await self.overlay.begin()
            if self.settings.network_rules:
                timings = scaled_rule_timings(self.settings.network_patience)
                self.federation = await Federation.open(self.broker, self.overlay, timings)
                await self.federation.begin()
        if self.settings.peers_address is not None:
            await self._let_peers_in(self.settings.peers_address)
        self._tasks.start("housekeeping", self._keep_tidy())

    async def stop(self) -> None:
        """End in order: nobody new, then what was begun, then the folder."""
        await self._tasks.stop()
        await self.checks.stop()
        self.streams.stop()
        if self.peers is not None:
            await self.peers.stop()
        if self.federation is not None:
            await self.federation.stop()
        if self.overlay is not None:
            await self.overlay.stop()
        if self.space is not None:
            await self.space.stop()
        await self.webhooks.close()
        await self.repository.stop()
        await self.replica.stop()
        await self.broker.close()

    # Clients

    def client(self, secret: str | None) -> Client:
        """Who holds this secret, or `Unauthenticated`."""
        if secret is None:
            if self.settings.open:
                return ANONYMOUS
            raise Unauthenticated(wanted="a bearer secret", found="none")
        found = self._by_secret.get(hash_of(secret))
        if found is None:
            raise Unauthenticated(wanted="the bearer secret of a registered client", found="another")
        return found

    def holder(self, credential: str | None) -> Client:
        """Who holds this secret or access token, or `Unauthenticated`."""
        if credential is None or not credential.startswith(access_tokens.PREFIX):
            return self.client(credential)
        # Whoever has no secret any more has no token either.
        return self._by_secret[self._hashes[self.access_tokens.client(credential)]]

    def _secret_hash(self, client_id: str) -> bytes | None:
        if self.settings.open and client_id == ANONYMOUS.id:
            return b""
        return self._hashes.get(client_id)

    def _know(self, by_secret: dict[bytes, Client]) -> None:
        self._by_secret = by_secret
        self._hashes = {client.id: kept for kept, client in by_secret.items()}

    @property
    def clients(self) -> list[Client]:
        return list(self._by_secret.values())

    async def make_admin(self, show: Callable[[str], None]) -> None:
        """Make the administrator, at the first start, and show the secret once.

        It is shown before it is kept: whatever ends the process in between, nobody is locked out.
        """
        if any(client.id == ADMIN for client in self.clients):
            return
        secret = identity.new_secret()
        show(secret)
        await self._keep(ADMINISTRATOR, secret)

    async def register(self, client: Client) -> str:
        """Keep a client, and give it a secret. One that is registered again loses its old secret."""
        secret = identity.new_secret()
        await self._keep(client, secret)
        return secret

    async def _keep(self, client: Client, secret: str) -> None:
        await self._keep_hash(client, hash_of(secret))

    async def _keep_hash(self, client: Client, kept: bytes) -> None:
        now = self.broker.date.time()
        await self.broker.store.write(lambda tx: identities.insert(tx, client, kept, now))
        others = {key: known for key, known in self._by_secret.items() if known.id != client.id}
        self._know(others | {kept: client})
        self.broker.views.close_all(client.id, "its owner has another secret, or other rights")
        await self.broker.subscriptions.set_rights(client)

    async def adopt(self, client: Client, secret_hash: bytes) -> None:
        """Keep a client whose secret is its own; one that is known must have the same, and keeps its rights."""
        if self._by_secret.get(secret_hash, client).id != client.id:
            raise Unauthenticated(wanted="a secret of the client's own", found="another's")
        if secret_hash in self._by_secret:
            return
        if any(known.id == client.id for known in self.clients):
            raise Unauthenticated(wanted="the secret of this client", found="another")
        await self._keep_hash(client, secret_hash)

    async def unregister(self, client_id: str) -> None:
        """Forget a client, its subscriptions and its rules."""
        if client_id == ADMIN:
            raise Forbidden(wanted="a client that can be removed", found="the administrator")
        if not await self.broker.store.write(lambda tx: identities.delete(tx, client_id)):
            raise UnknownClient(wanted=f"the client {client_id!r}", found="none of that name")
        self._know({key: known for key, known in self._by_secret.items() if known.id != client_id})
        self.broker.views.close_all(client_id, "its owner is no client any more")
        for record in self.broker.subscriptions.index.of(client_id):
            self.webhooks.forget(record.number)
            await self.broker.subscriptions.unsubscribe(record.number)
        await self.broker.rules.remove_all(client_id)
        await self.advertisements.remove_all(client_id)
        if self.peers is not None:
            self.peers.expel(client_id)

    @property
    def event_queries(self) -> Queries:
        """What answers SPARQL queries over events: the repository, or the whole space."""
        return self.repository if self.space is None else self.space.queries

    async def set_taxonomy(self, taxonomy: Taxonomy | None) -> None:
        """Read events by another taxonomy from now on, here and on their way through here."""
        await self.broker.subscriptions.set_taxonomy(taxonomy)
        if self.overlay is not None:
            await self.overlay.restart()

    # Private

    async def _let_peers_in(self, address: str) -> None:
        key = await self._private_key()
        settings = AccessPointSettings(keep=self.settings.peers_seconds, peers=self.settings.peers_most)
        file = self.settings.peers_invitations
        invitations = None if file is None else Invitations(file)
        listen = require_own_address(address)
        self.peers = await AccessPointService.open(
            self, key, listen, self.settings.limits, self.overlay, settings, invitations, self.federation
        )
        self.peers.begin()

    async def _identified(self) -> str:
        """The node's own identifier."""
        return identity.public_identifier(identity.public_key_of(await self._private_key()))

    async def _private_key(self) -> bytes:
        """The node's own key, made once."""
        key: bytes | None = await self.broker.store.read(lambda tx: metadata.get(tx, _NODE_KEY))
        if key is None:
            key = identity.new_private_key()
            await self.broker.store.write(lambda tx: metadata.put(tx, _NODE_KEY, key))
        return key

    def _watch_the_disk(self) -> None:
        loop = asyncio.get_running_loop()

        def failed(problem: StoreError) -> None:
            _log.critical("%s", problem)
            loop.call_soon_threadsafe(self.failed.set)

        self.broker.store.on_failure(failed)

    async def _keep_tidy(self) -> None:
        kept = Retention(self.settings.retention_age, self.settings.retention_bytes, self.settings.key_seconds)
        while True:
            await asyncio.sleep(self.settings.housekeeping_seconds)
            try:
                await self.tidy(kept)
            except (TriplewireError, OSError, TimeoutError) as problem:
                _log.warning("housekeeping has to wait: %s", problem)

    async def tidy(self, kept: Retention) -> None:
        """Remove what retention no longer keeps, from the repository, from the log and from the journal of changes."""
        await self.broker.living.forget(kept.age, kept.size)
        await self.advertisements.expire()
        # What the space has not stored yet is only in the log; what it has stored, it keeps.
        first = self.repository.remove if self.space is None else None
        last = None if self.space is None else self.space.publications.saved_watermark
        while (await self.broker.housekeeping.trim(kept, first, last)).graphs:
            pass
