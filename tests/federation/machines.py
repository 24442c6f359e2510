"""Machines that carry everything to each other, each with a peer, for tests of what survives; and states to compare."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from enum import Enum
from random import Random
from zlib import crc32

from msgspec import Struct
from tests.federation.federation import OPEN, PREAMBLE
from tests.rules.family import FAMILY

from triplewire.federation.execution.effects import ToPeer
from triplewire.federation.inputs import (
    BodyReceived,
    FromPeerReceived,
    Grant,
    Input,
    NetworkChanged,
    PeerJoined,
    Register,
    Submit,
)
from triplewire.federation.machine import MachineSetup, RuleMachine
from triplewire.federation.outputs import Broadcast, Output, Relay, RuleRegistered, TransactionSubmitted
from triplewire.federation.sites.site import PeerSite
from triplewire.rdf.terms import Triple
from triplewire.rules.schema import Schema


def machine(me: str = "a") -> RuleMachine:
    return RuleMachine(MachineSetup(me=me, whole=FAMILY, seed=7))


class Machines:
    """Super-peers that see each other, and carry everything to each other at once. `log` has all inputs of each."""

    def __init__(self, *names: str) -> None:
        self.machines = {name: machine(name) for name in names}
        self.sites: dict[str, PeerSite] = {}
        self.log: dict[str, list[Input]] = {name: [] for name in names}
        self.outputs: dict[str, list[Output]] = {name: [] for name in names}
        self.now = 0.0
        self.unreachable: set[str] = set()
        for name in names:
            others = tuple(other for other in names if other != name)
            self.take(name, NetworkChanged(self.now, others, others, tuple(enumerate(others))))
            self.take(name, Grant(self.now, OPEN))

    def peer(self, at: str, *triples: Triple) -> PeerSite:
        """The only peer of a super-peer, of the same name."""
        site = self.sites[at] = PeerSite(at, FAMILY)
        site.load(triples)
        self.take(at, PeerJoined(self.now, at, site.view, site.stream.next_serial))
        return site

    def rule(self, at: str, text: str) -> str:
        outputs = self.take(at, Register(self.now, f"RULE r {PREAMBLE}{text}", 0.0))
        return next(output.rule for output in outputs if isinstance(output, RuleRegistered))

    def submit(self, at: str, text: str) -> str:
        outputs = self.take(at, Submit(self.now, at, f"{PREAMBLE}{text}"))
        return next(output.unit for output in outputs if isinstance(output, TransactionSubmitted))

    def take(self, name: str, given: Input) -> list[Output]:
        """Take an input, and whatever follows from it anywhere; returns its own outputs."""
        waiting = deque([(name, given)])
        first: list[Output] | None = None
        while waiting:
            at, one = waiting.popleft()
            self.log[at].append(one)
            outputs = self.machines[at].take(one)
            self.outputs[at] += outputs
            first = outputs if first is None else first
            waiting.extend(follow for output in outputs for follow in self._follows(at, output))
        assert first is not None
        return first

    def _follows(self, at: str, output: Output) -> list[tuple[str, Input]]:
        match output:
            case Relay(to, data):
                return [] if to in self.unreachable else [(to, BodyReceived(self.now, at, data))]
            case Broadcast(data):
                others = self.machines.keys() - self.unreachable - {at}
                return [(other, BodyReceived(self.now, "", data)) for other in sorted(others)]
            case ToPeer(to, request) if to not in self.unreachable:
                told = self.sites[to].receive(request)
                return [] if told is None else [(at, FromPeerReceived(self.now, to, told))]
        return []


def lines(value: object, place: str = "", seen: set[int] | None = None) -> Iterator[str]:
    """All that a state is made of, a line for each value, with the way to it."""
    seen = set() if seen is None else seen
    parts = _parts(value)
    yield f"{place}: {_said(value) if parts is None else f'{type(value).__name__} of {len(parts)}'}"
    # Parts of a machine know each other.
    if parts is not None and id(value) not in seen:
        if hasattr(value, "__dict__"):
            seen.add(id(value))
        for name, part in parts:
            yield from lines(part, f"{place}.{name}", seen)


def _parts(value: object) -> list[tuple[object, object]] | None:
    match value:
        case Schema() | Random() | Enum():
            return None
        case Mapping():
            return list(value.items())
        case list() | tuple() | deque():
            return list(enumerate(value))
        case Struct():
            return [(name, getattr(value, name)) for name in value.__struct_fields__]
        case _ if type(value).__module__.startswith("triplewire.") and hasattr(value, "__dict__"):
            return list(vars(value).items())
    return None


def _said(value: object) -> str:
    match value:
        case Schema():
            return f"a schema, {crc32(str(sorted(map(str, value.triples))).encode())}"
        case Random():
            return f"a generator, {crc32(str(value.getstate()).encode())}"
        case set() | frozenset():
            return f"{type(value).__name__} {sorted(map(str, value))!r}"
    return getattr(value, "__name__", repr(value))


def state(one: RuleMachine) -> list[str]:
    """What a machine knows, other than what is found again when it is asked for."""
    kept = (one.network, one.delivery, one.rules)
    return [line for line in lines(kept) if "._induced" not in line]
