"""What a node does for its clients, and for the peers of its group, about rules of scope network.

    federation = await Federation.open(broker, overlay)
    await federation.begin()                                  # after the overlay
    rule = await federation.put_rule(client, "remind", text, None)
    made = await federation.submit(client, updates, seconds=10)
    await federation.stop()                                   # before the overlay

Everything that changes anything goes through the host of the machine, and is answered when it is on the disk.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from triplewire.errors import (
    DuplicateRule,
    Forbidden,
    NetworkError,
    QuotaExceeded,
    UnknownRule,
    UnknownUpdate,
    UpdateEnded,
)
from triplewire.federation import inputs
from triplewire.federation.execution.units import Status, Unit, super_peer_of
from triplewire.federation.indexes.group_index import PeerView
from triplewire.federation.inputs import Input
from triplewire.federation.machine import RuleMachine
from triplewire.federation.outputs import InquiryBegun, Output, RuleRegistered, TransactionSubmitted
from triplewire.federation.registration.records import RuleRecord, rule_of
from triplewire.federation.sites.requests import FromPeer, FromSuperPeer
from triplewire.federation.timings import FederationTimings
from triplewire.languages.rdftl import format_rule, parse_rule
from triplewire.languages.rdftl.syntax import Abort
from triplewire.node.broker.broker import Broker
from triplewire.node.federation.answers import (
    abort_of,
    privileges_answer,
    privileges_of,
    rule_answer,
    schema_answer,
    transaction_answer,
)
from triplewire.node.federation.host import Keep
from triplewire.node.federation.keyed_submissions import KeyedSubmissions
from triplewire.node.federation.participation import Participation
from triplewire.node.living.service import require_reader
from triplewire.node.overlay.overlay import Overlay
from triplewire.node.rules.idempotency import IdempotencyKey
from triplewire.node.rules.rights import require_author
from triplewire.store.tables.identities import Client
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
_WITHDRAWN = "withdrawn by its client"
# The machine ends an inquiry in time; that has to be on the disk, too.
_LEEWAY_SECONDS = 5.0


class Federation:
    """Rules across super-peers, as one of them offers them. `me` is the identifier of the super-peer."""

    def __init__(self, broker: Broker, participation: Participation) -> None:
        self.me = participation.me
        self.participation = participation
        self._broker = broker
        self._keyed = KeyedSubmissions(broker.store)

    @classmethod
    async def open(
        cls,
        broker: Broker,
        overlay: Overlay,
        timings: FederationTimings = FederationTimings(),  # noqa: B008  frozen
    ) -> Federation:
        """Read what the last process has left."""
        return cls(broker, await Participation.open(broker, overlay, timings))

    async def begin(self) -> None:
        """Take part in the network."""
        await self.participation.begin()

    async def stop(self) -> None:
        """Take part no longer."""
        await self.participation.stop()

    @property
    def machine(self) -> RuleMachine:
        """The machine, to read it."""
        return self.participation.machine

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
        asked = inputs.Register(self._now, format_rule(parsed), time, client.id, abort_of(abort))
        made = _only(await self._ask(asked), RuleRegistered)
        record = self.machine.rules.registrar.base[made.rule]
        if before is not None and before.id in self.machine.rules.registrar.base:
            same = _without_id(before) == _without_id(record)
            gone = record if same else before
            await self._ask(inputs.Unregister(self._now, gone.id))
            record = before if same else record
        return self._rule_answer(record)

    async def remove_rule(self, client: Client, rule: str) -> None:
        """Unregister a rule, here and everywhere. Only its own super-peer can, as long as that one is there."""
        record = self._find(client, rule)
        if record.origin != self.me and record.origin in self.machine.network.others:
            raise Forbidden(wanted=f"a rule of {self.me}", found=f"one of {record.origin}, where it can be deleted")
        await self._ask(inputs.Unregister(self._now, record.id))

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
        return await self._inquired(inputs.AskRelevance(self._now, text, seconds), seconds, RuleRelevance)

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
            asked = inputs.Submit(self._now, peer or self.me, text, client.id)
            return _only(await self.participation.host.ask(asked, keep), TransactionSubmitted).unit

        accepted = self._broker.date.time()
        unit = await (submitted() if key is None else self._keyed.unit(key, accepted, submitted))
        await self.participation.until(lambda: self._unit(unit).status is not Status.ACTIVE, seconds)
        return transaction_answer(self._unit(unit))

    async def withdraw(self, client: Client, unit: str) -> NetworkTransaction:
        """Let a transaction abort, with all that has to abort with it."""
        require_author(client)
        found = self._unit(unit)
        if not client.rights.is_admin and found.author != client.id:
            raise Forbidden(wanted="a transaction of one's own", found="another client's")
        if found.is_sealed:
            raise UpdateEnded(wanted=f"the transaction {unit!r} to be withdrawn", found="it is committed for good")
        if found.status is Status.ABORTED:
            raise UpdateEnded(wanted=f"the transaction {unit!r} to be withdrawn", found="it aborted already")
        await self._ask(inputs.Withdraw(self._now, unit, _WITHDRAWN))
        return transaction_answer(self._unit(unit))

    async def transaction(self, client: Client, unit: str) -> NetworkTransaction:
        """How a transaction of this super-peer stands. Raises `UnknownUpdate`."""
        require_author(client)
        return transaction_answer(self._unit(unit))

    async def trace(self, client: Client, unit: str, seconds: float) -> NetworkTrace:
        """How a transaction went across super-peers, wherever it began. Raises `UnknownUpdate`."""
        require_author(client)
        origin = super_peer_of(unit)
        if origin not in (self.me, *self.machine.network.members):
            raise UnknownUpdate(wanted=f"the transaction {unit!r}", found=f"no super-peer {origin!r} in the network")
        found = await self._inquired(inputs.AskTrace(self._now, unit, seconds), seconds, NetworkTrace)
        if not found.units and not found.unanswered:
            raise _unknown(unit)
        return found

    # Privileges and the schema

    async def privileges(self, client: Client) -> NetworkPrivileges:
        """What other super-peers may do with the data of this one's group."""
        _require_admin(client)
        return privileges_answer(self.machine.rules.privileges)

    async def grant(self, client: Client, privileges: NetworkPrivileges) -> None:
        """Let other super-peers do this from now on, and nothing else."""
        _require_admin(client)
        await self._ask(inputs.Grant(self._now, privileges_of(privileges)))

    async def schema(self, client: Client) -> NetworkSchema:
        """The merged schema of the network, annotated."""
        require_reader(client)
        rules = self.machine.rules
        return schema_answer(rules.whole.current, rules.group, rules.network)

    # Peers of the group, which the access point knows

    @property
    def to_peer(self) -> Callable[[str, FromSuperPeer], None] | None:
        """What says something to a peer that is on-line. The access point sets it."""
        return self.participation.to_peer

    @to_peer.setter
    def to_peer(self, tell: Callable[[str, FromSuperPeer], None] | None) -> None:
        self.participation.to_peer = tell

    async def peer_joined(self, peer: str, view: PeerView, next_serial: int) -> None:
        """A peer is here, with all that it has."""
        await self._ask(inputs.PeerJoined(self._now, peer, view, next_serial))

    async def peer_left(self, peer: str) -> None:
        """The session of a peer has ended."""
        self.participation.host.take(inputs.PeerLeft(self._now, peer))

    async def from_peer(self, peer: str, message: FromPeer) -> None:
        """A peer has said something."""
        self.participation.said(peer, message)

    # Private: what is there

    async def _ask(self, given: Input) -> list[Output]:
        return await self.participation.host.ask(given)

    @property
    def _now(self) -> float:
        return self.participation.host.now

    async def _inquired(self, given: Input, seconds: float, kind: type[T]) -> T:
        """What others answer; the machine sees to it that there is an answer in time."""
        inquiry = _only(await self._ask(given), InquiryBegun).inquiry
        answered = self.participation.answered
        if not await self.participation.until(lambda: inquiry in answered, seconds + _LEEWAY_SECONDS):
            raise NetworkError(wanted="answers of other super-peers", found="none: this one is busy, or stops")
        result = answered.pop(inquiry)
        assert isinstance(result, kind), "an inquiry has one kind of answer"
        return result

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
            raise _unknown(name)
        return unit


def _only(outputs: list[Output], kind: type[T]) -> T:
    return next(output for output in outputs if isinstance(output, kind))


def _without_id(record: RuleRecord) -> tuple[Abort, str]:
    """What makes a rule the same when it is put again."""
    return record.abort, format_rule(replace(rule_of(record.text), id=record.name))


def _require_admin(client: Client) -> None:
    if not client.rights.is_admin:
        raise Forbidden(wanted="an administrator", found="another client")


def _unknown(unit: str) -> UnknownUpdate:
    return UnknownUpdate(wanted=f"the transaction {unit!r}", found="none that is known")
