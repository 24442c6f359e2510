"""Rules at one super-peer, with what is delivered between super-peers, as one deterministic machine.

    machine = RuleMachine(MachineSetup("sp-1", whole, seed=4711))
    outputs = machine.take(PeerJoined(now, "ann", site.view))
    outputs = machine.take(BodyReceived(now, "sp-2", body))
    if machine.is_due(now):                                     # a few times a second
        outputs = machine.take(Tick(now))

The same inputs make the same outputs, in any process. So a shell that has each input on its disk before the outputs
leave loses nothing when it crashes: it takes the inputs once more, and drops what comes of them. Whatever has not left
by then is sent again, as everything is that nobody has acknowledged.

    data = machine.snapshot()                                   # now and then, so that the log may begin anew
    machine = RuleMachine.restore(data)
    machine.replay(map(decode_input, log))
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from random import Random

from msgspec import Struct

from triplewire.errors import InputError, MessageRefused, TriplewireError
from triplewire.federation import inputs, snapshots
from triplewire.federation.codec import Announced, decode, encode
from triplewire.federation.delivery import Delivery, Sent
from triplewire.federation.effects import ToAll, ToSuperPeer
from triplewire.federation.execution.coordinator import Effects
from triplewire.federation.execution.effects import MessageDropped
from triplewire.federation.inputs import Input
from triplewire.federation.messages import Message
from triplewire.federation.outputs import Broadcast, InquiryBegun, Output, Relay, RuleRegistered, TransactionSubmitted
from triplewire.federation.overlay import RecordedNetwork
from triplewire.federation.policy import Policy
from triplewire.federation.super_peer import RuleSuperPeer
from triplewire.federation.timings import FederationTimings
from triplewire.languages.rdftl import parse_rule, parse_updates
from triplewire.rules.execution.units import Commutes, none_commutes
from triplewire.rules.schema import Schema

Outputs = list[Output]
_Call = inputs.Register | inputs.Unregister | inputs.Submit | inputs.Withdraw | inputs.AskRelevance | inputs.AskTrace


class MachineSetup(Struct, frozen=True, kw_only=True):
    """What a machine begins with. `seed` is for its choices of partners; nothing else is left to chance."""

    me: str
    whole: Schema
    seed: int
    policy: Policy = Policy()
    timings: FederationTimings = FederationTimings()


class RuleMachine:
    """`rules` and `delivery` are there to be read; they change by `take` only."""

    def __init__(self, setup: MachineSetup) -> None:
        self._commutes = setup.policy.commutes
        self.network = RecordedNetwork()
        self.delivery = Delivery(setup.timings.retry)
        self.rules = RuleSuperPeer(
            setup.me,
            setup.whole,
            self.network,
            Random(setup.seed),
            policy=setup.policy,
            timings=setup.timings,
        )

    @classmethod
    def restore(cls, data: bytes, commutes: Commutes = none_commutes) -> RuleMachine:
        """A machine as it was when the snapshot was taken.

        `commutes` is what its policy had; all else is in the snapshot, timings included, so that what was taken since
        comes to the same. Raises `SnapshotError`.
        """
        machine = cls.__new__(cls)
        machine._commutes = commutes
        machine.network, machine.delivery, machine.rules = snapshots.read(data, commutes)
        return machine

    def snapshot(self) -> bytes:
        """All of it, as bytes."""
        return snapshots.written((self.network, self.delivery, self.rules), self._commutes)

    def replay(self, log: Iterable[Input]) -> None:
        """Take inputs that were taken before. What comes of them has left, or is sent again when it is due."""
        for given in log:
            # What was refused then is refused again.
            with suppress(TriplewireError):
                self.take(given)

    def take(self, given: Input) -> Outputs:
        """Take an input.

        Raises `InputError` or `UnknownRule` where somebody asks for what cannot be done, such as a rule with unknown
        names or a transaction of a peer that is not here: then nothing has changed, and the input need not be on the
        disk. What comes from other super-peers and from peers raises nothing; if it says nothing that can be done, it
        is dropped with a reason.
        """
        match given:
            case inputs.NetworkChanged(_, others, members, onward):
                self.network.record(others, members, onward)
                return []
            case inputs.Tick(now):
                return self._tick(now) if self.is_due(now) else []
            case inputs.BodyReceived(now, sender, data):
                return self._body(now, sender, data)
            case inputs.PeerJoined(now, peer, view, next_serial):
                return self._sent(now, self.rules.join(now, peer, view, next_serial))
            case inputs.PeerLeft(now, peer):
                return self._sent(now, self.rules.leave(now, peer))
            case inputs.FromPeerReceived(now, peer, message):
                return self._sent(now, self.rules.reply(now, peer, message))
            case inputs.Grant(now, privileges):
                return self._sent(now, self.rules.grant(now, privileges))
            case _:
                return self._called(given)

    def is_due(self, now: float) -> bool:
        """Whether a tick at this time would do anything."""
        return self.delivery.is_due(now) or self.rules.is_due(now)

    # Private

    def _called(self, call: _Call) -> Outputs:
        now, rules = call.now, self.rules
        match call:
            case inputs.Register(_, text, time, owner, abort):
                rule, effects = rules.register(now, parse_rule(text), time=time, owner=owner, abort=abort)
                return [RuleRegistered(rule), *self._sent(now, effects)]
            case inputs.Unregister(_, rule):
                return self._sent(now, rules.unregister(now, rule))
            case inputs.Submit(_, peer, text, author):
                unit, more = rules.submit(now, peer, parse_updates(text), author)
                return [TransactionSubmitted(unit), *self._sent(now, more)]
            case inputs.Withdraw(_, unit, reason):
                return self._sent(now, rules.coordinator.abort(now, unit, reason))
            case inputs.AskRelevance(_, text, seconds):
                inquiry, asked = rules.ask_relevance(now, parse_rule(text), seconds)
                return [InquiryBegun(inquiry), *self._sent(now, asked)]
            case inputs.AskTrace(_, unit, seconds):
                inquiry, asked = rules.ask_trace(now, unit, seconds)
                return [InquiryBegun(inquiry), *self._sent(now, asked)]

    def _tick(self, now: float) -> Outputs:
        return [*_relayed(self.delivery.tick(now)), *self._sent(now, self.rules.tick(now))]

    def _body(self, now: float, sender: str, data: bytes) -> Outputs:
        try:
            body = decode(data)
        except MessageRefused as error:
            return [MessageDropped(sender, error.message)]
        if isinstance(body, Announced):
            return self._sent(now, self._received(now, body.sender, body.message))
        messages, back = self.delivery.receive(sender, body)
        outputs = _relayed(back)
        for message in messages:
            outputs += self._sent(now, self._received(now, sender, message))
        return outputs

    def _received(self, now: float, sender: str, message: Message) -> Effects:
        """What comes of a message. One that says nothing that can be done does not keep back those behind it."""
        try:
            return self.rules.receive(now, sender, message)
        except (InputError, MessageRefused) as error:
            return [MessageDropped(sender, error.message)]

    def _sent(self, now: float, effects: Iterable[Output | ToAll | ToSuperPeer]) -> Outputs:
        """Turn messages to other super-peers into bodies; the rest stays as it is."""
        outputs: Outputs = []
        for effect in effects:
            if isinstance(effect, ToAll):
                outputs.append(Broadcast(encode(Announced(self.rules.me, effect.message))))
            elif isinstance(effect, ToSuperPeer):
                outputs += _relayed(self.delivery.send(now, effect.to, effect.message))
            else:
                outputs.append(effect)
        return outputs


def _relayed(items: Sent) -> Outputs:
    return [Relay(to, encode(item)) for to, item in items]
