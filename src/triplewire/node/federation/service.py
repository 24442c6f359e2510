"""What a node does for its clients, and for the peers of its group, about rules of scope network.

    federation = await Federation.open(broker, overlay)
    await federation.begin()                                  # after the overlay
    rule = await federation.put_rule(client, "remind", text, None)
    made = await federation.submit(client, updates, seconds=10)
    await federation.stop()                                   # before the overlay

Everything that changes anything goes through the host of the machine, and is answered when it is on the disk.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from typing import TypeVar

from msgspec.structs import replace

from triplewire.errors import (
    DuplicateRule,
    Forbidden,
    QuotaExceeded,
    UnknownRule,
    UnknownUpdate,
    UpdateEnded,
)
from triplewire.federation import inputs
from triplewire.federation.codec import is_about_rules
from triplewire.federation.execution.effects import ToPeer
from triplewire.federation.execution.units import Status, Unit
from triplewire.federation.indexes.group_index import PeerView
from triplewire.federation.machine import MachineSetup, RuleMachine
from triplewire.federation.outputs import Broadcast, Output, Relay, RuleRegistered, TransactionSubmitted
from triplewire.federation.registration.records import RuleRecord, rule_of
from triplewire.federation.sites.requests import FromPeer, FromSuperPeer
from triplewire.federation.timings import FederationTimings
from triplewire.languages.rdftl import format_rule, parse_rule
from triplewire.languages.rdftl.syntax import Abort
from triplewire.network.effects import BroadcastReceived
from triplewire.node.broker.broker import Broker
from triplewire.node.federation.answers import (
    abort_of,
    privileges_answer,
    privileges_of,
    rule_answer,
    schema_answer,
    transaction_answer,
)
from triplewire.node.federation.happenings import Happenings
from triplewire.node.federation.host import Keep, RuleHost
from triplewire.node.federation.keyed_submissions import KeyedSubmissions
from triplewire.node.federation.living_site import LivingSite
from triplewire.node.federation.network_watch import NetworkWatch
from triplewire.node.living.service import require_reader
from triplewire.node.overlay.overlay import Overlay
from triplewire.node.rules.idempotency import IdempotencyKey
from triplewire.node.rules.rights import require_author
from triplewire.rules.schema import Schema
from triplewire.store.tables.identities import Client
from triplewire.system.supervisor import Supervisor
from triplewire.wire.network_rules import (
    AbortName,
    NetworkPrivileges,
    NetworkRule,
    NetworkSchema,
    NetworkTrace,
    NetworkTransaction,
    RuleRelevance,
)

T = TypeVar("T")
_log = logging.getLogger(__name__)
_WATCH_SECONDS = 1.0
_WITHDRAWN = "withdrawn by its client"


class Federation:
    """Rules across super-peers, as one of them offers them. `me` is the identifier of the super-peer."""

    def __init__(self, broker: Broker, overlay: Overlay) -> None:
        self.me = overlay.id
        self.happenings = Happenings(_log)
        # Set by the access point: says something to a peer that is on-line.
        self.to_peer: Callable[[str, FromSuperPeer], None] | None = None
        self.host: RuleHost
        self.site = LivingSite(self.me, broker, self._joined, lambda said: self._said(self.me, said))
        self._broker = broker
        self._overlay = overlay
        self._keyed = KeyedSubmissions(broker.store)
        self._network = NetworkWatch(self.me)
        self._moved = asyncio.Event()
        self._is_listening = False
        self._tasks = Supervisor()

    @classmethod
    async def open(
        cls,
        broker: Broker,
        overlay: Overlay,
        timings: FederationTimings = FederationTimings(),  # noqa: B008  frozen
    ) -> Federation:
        """Read what the last process has left."""
        federation = cls(broker, overlay)
        setup = MachineSetup(me=overlay.id, whole=Schema(()), seed=_seed(overlay.id), timings=timings)
        federation.host = await RuleHost.open(broker.store, setup, federation._release)
        return federation

    # Start and stop

    async def begin(self) -> None:
        """Take part: go on where the last process stopped."""
        self.host.listeners.append(self._wake)
        self.host.begin()
        self._see_network()
        for peer in self.machine.rules.group.peers:
            if peer != self.me:
                # Its session ended with the last process.
                self.host.take(inputs.PeerLeft(self.host.now, peer))
        await self.site.begin()
        await self._join_if_new()
        self._is_listening = True
        self._overlay.member_listeners.append(self._see_network)
        self._overlay.relay_listeners.append(self._relayed)
        self._overlay.broadcast_listeners.append(self._announced)
        self._tasks.start("rules' network", self._watch())

    async def stop(self) -> None:
        """Take part no longer. The next process goes on."""
        if self._is_listening:
            self._overlay.member_listeners.remove(self._see_network)
            self._overlay.relay_listeners.remove(self._relayed)
            self._overlay.broadcast_listeners.remove(self._announced)
        await self._tasks.stop()
        await self.site.stop()
        await self.host.stop()
        self._wake()

    @property
    def machine(self) -> RuleMachine:
        """The machine, to read it."""
        return self.host.machine

    # Rules

    async def put_rule(self, client: Client, name: str, text: str, abort: AbortName | None) -> NetworkRule:
        """Register a rule, in place of the client's one of that name. The same again changes nothing."""
        require_author(client)
        self._broker.state.know(client)
        parsed = parse_rule(text, id=name)
        before = self._own(name)
        if before is not None and before.owner != client.id:
            raise DuplicateRule(f"the rule {name!r} is taken by another client's")
        if before is None:
            self._check_quota(client)
        time = self._broker.date.time()
        asked = inputs.Register(self.host.now, format_rule(parsed), time, client.id, abort_of(abort))
        made = _only(await self.host.ask(asked), RuleRegistered)
        record = self.machine.rules.registrar.base[made.rule]
        if before is not None and before.id in self.machine.rules.registrar.base:
            same = _without_id(before) == _without_id(record)
            gone = record if same else before
            await self.host.ask(inputs.Unregister(self.host.now, gone.id))
            record = before if same else record
        return self._rule_answer(record)

    async def remove_rule(self, client: Client, rule: str) -> None:
        """Unregister a rule, here and everywhere. Only its own super-peer can."""
        record = self._find(client, rule)
        if record.origin != self.me:
            raise Forbidden(wanted=f"a rule of {self.me}", found=f"one of {record.origin}, where it can be deleted")
        await self.host.ask(inputs.Unregister(self.host.now, record.id))

    async def rules(self, client: Client) -> list[NetworkRule]:
        """The rules of a client; all that are held here for an administrator."""
        base = self.machine.rules.registrar.base
        return [self._rule_answer(record) for record in base if self._is_visible(client, record)]

    async def find_rule(self, client: Client, rule: str) -> NetworkRule:
        """A rule by its name here or by its global identifier. Raises `UnknownRule`."""
        return self._rule_answer(self._find(client, rule))

    async def relevance(self, client: Client, text: str, seconds: float) -> RuleRelevance:
        """Whom a rule would concern, and why."""
        require_author(client)
        raise NotImplementedError

    # Transactions

    async def submit(
        self, client: Client, text: str, seconds: float, peer: str = "", key: IdempotencyKey | None = None
    ) -> NetworkTransaction:
        """Submit a transaction of a peer, or of this node; the answer comes when it has ended, or the time has.

        Under a key that is known already, the answer is of the transaction that was submitted first.
        """
        require_author(client)
        self._broker.state.know(client)
        self._broker.events.buckets.take(client, 1)

        async def submitted(keep: Keep | None = None) -> str:
            asked = inputs.Submit(self.host.now, peer or self.me, text, client.id)
            return _only(await self.host.ask(asked, keep), TransactionSubmitted).unit

        accepted = self._broker.date.time()
        unit = await (submitted() if key is None else self._keyed.unit(key, accepted, submitted))
        await self._until(lambda: self._unit(unit).status is not Status.ACTIVE, seconds)
        return transaction_answer(self._unit(unit))

    async def withdraw(self, client: Client, unit: str) -> NetworkTransaction:
        """Let a transaction abort, with all that has to abort with it."""
        found = self._visible_unit(client, unit)
        if found.status is Status.ABORTED:
            raise UpdateEnded(wanted=f"the transaction {unit!r} to be withdrawn", found="it aborted already")
        await self.host.ask(inputs.Withdraw(self.host.now, unit, _WITHDRAWN))
        return transaction_answer(self._unit(unit))

    async def transaction(self, client: Client, unit: str) -> NetworkTransaction:
        """How a transaction that was submitted here stands."""
        return transaction_answer(self._visible_unit(client, unit))

    async def trace(self, client: Client, unit: str, seconds: float) -> NetworkTrace:
        """How a transaction went across super-peers."""
        self._visible_unit(client, unit)
        raise NotImplementedError

    # Privileges and the schema

    async def privileges(self, client: Client) -> NetworkPrivileges:
        """What other super-peers may do with the data of this one's group."""
        _require_admin(client)
        return privileges_answer(self.machine.rules.privileges)

    async def grant(self, client: Client, privileges: NetworkPrivileges) -> None:
        """Let other super-peers do this from now on, and nothing else."""
        _require_admin(client)
        await self.host.ask(inputs.Grant(self.host.now, privileges_of(privileges)))

    async def schema(self, client: Client) -> NetworkSchema:
        """The merged schema of the network, annotated."""
        require_reader(client)
        rules = self.machine.rules
        return schema_answer(rules.whole.current, rules.group, rules.network)

    # Peers of the group, which the access point knows

    async def peer_joined(self, peer: str, view: PeerView, next_serial: int) -> None:
        """A peer is here, with all that it has."""
        await self.host.ask(inputs.PeerJoined(self.host.now, peer, view, next_serial))

    async def peer_left(self, peer: str) -> None:
        """The session of a peer has ended."""
        self.host.take(inputs.PeerLeft(self.host.now, peer))

    async def from_peer(self, peer: str, message: FromPeer) -> None:
        """A peer has said something."""
        self._said(peer, message)

    # Private: inputs

    def _said(self, peer: str, message: FromPeer) -> None:
        self.host.take(inputs.FromPeerReceived(self.host.now, peer, message))

    def _joined(self, view: PeerView, next_serial: int) -> None:
        self.host.take(inputs.PeerJoined(self.host.now, self.me, view, next_serial))

    def _relayed(self, sender: str, body: bytes) -> None:
        if is_about_rules(body):
            self.host.take(inputs.BodyReceived(self.host.now, sender, body))

    def _announced(self, received: BroadcastReceived) -> None:
        if is_about_rules(received.body):
            self.host.take(inputs.BodyReceived(self.host.now, "", received.body))

    def _see_network(self) -> None:
        news = self._network.news(self.host.now, self._overlay.peer.members)
        if news is not None:
            self.host.take(news)

    async def _join_if_new(self) -> None:
        """The node's own graph joins once; the machine follows it from then on, over restarts."""
        view, next_serial = await self.site.view()
        group = self.machine.rules.group
        if self.me not in group or group[self.me].declared.triples != view.declared.triples:
            self._joined(view, next_serial)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_WATCH_SECONDS)
            self._see_network()
            with suppress(Exception):
                await self.site.repeat()

    # Private: outputs

    def _release(self, output: Output) -> None:
        match output:
            case Relay(to, data):
                self._overlay.relay(to, data)
            case Broadcast(data):
                self._overlay.broadcast(data)
            case ToPeer(to, request):
                if to == self.me:
                    self.site.receive(request)
                elif self.to_peer is not None:
                    self.to_peer(to, request)
            case RuleRegistered() | TransactionSubmitted():
                pass
            case _:
                self.happenings.note(output)

    # Private: what is there

    async def _until(self, holds: Callable[[], bool], seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not holds() and self.host.failure is None:
                    await self._moved.wait()

    def _wake(self) -> None:
        self._moved.set()
        self._moved = asyncio.Event()

    def _own(self, name: str) -> RuleRecord | None:
        base = self.machine.rules.registrar.base
        return next((one for one in base if one.origin == self.me and one.name == name), None)

    def _find(self, client: Client, rule: str) -> RuleRecord:
        base = self.machine.rules.registrar.base
        found = base[rule] if rule in base else self._own(rule)
        if found is None or not self._is_visible(client, found):
            raise UnknownRule(wanted=f"the rule {rule!r}", found="none of that name")
        return found

    def _is_visible(self, client: Client, record: RuleRecord) -> bool:
        # Elsewhere another client may have that identifier.
        return client.rights.is_admin or (record.origin == self.me and record.owner == client.id)

    def _rule_answer(self, record: RuleRecord) -> NetworkRule:
        return rule_answer(record, is_awake=self.machine.rules.registrar.base.is_awake(record.id))

    def _check_quota(self, client: Client) -> None:
        most = client.rights.quotas.subscriptions
        held = sum(one.origin == self.me and one.owner == client.id for one in self.machine.rules.registrar.base)
        if most is not None and held >= most:
            raise QuotaExceeded("subscriptions", wanted=f"at most {most} rules, as many as subscriptions", found="more")

    def _unit(self, name: str) -> Unit:
        unit = self.machine.rules.coordinator.state.units.get(name)
        if unit is None:
            raise UnknownUpdate(wanted=f"the transaction {name!r}", found="none that is known here")
        return unit

    def _visible_unit(self, client: Client, name: str) -> Unit:
        require_author(client)
        unit = self._unit(name)
        if not client.rights.is_admin and unit.author != client.id:
            raise UnknownUpdate(wanted=f"the transaction {name!r}", found="none that is known here")
        return unit


def _only(outputs: list[Output], kind: type[T]) -> T:
    return next(output for output in outputs if isinstance(output, kind))


def _without_id(record: RuleRecord) -> tuple[Abort, str]:
    """What makes a rule the same when it is put again."""
    return record.abort, format_rule(replace(rule_of(record.text), id=record.name))


def _require_admin(client: Client) -> None:
    if not client.rights.is_admin:
        raise Forbidden(wanted="an administrator", found="another client")


def _seed(me: str) -> int:
    """The same in every process, since the inputs are taken again, and another one for each super-peer."""
    return int.from_bytes(blake2b(me.encode(), digest_size=8).digest())
