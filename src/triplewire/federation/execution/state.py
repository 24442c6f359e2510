"""What the parts of a coordinator share: the units, the lanes, the graphs, and the effects so far."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile

from msgspec import Struct, field

from triplewire.federation.effects import Effect, ToSuperPeer
from triplewire.federation.execution.abort_graph import AbortGraph
from triplewire.federation.execution.conditions.evaluation import ConditionEvaluation, ServedQuery
from triplewire.federation.execution.effects import Happening, ToPeer
from triplewire.federation.execution.journal import Who
from triplewire.federation.execution.lanes import Lane
from triplewire.federation.execution.serialisation import SerialisationGraph
from triplewire.federation.execution.units import Status, Trigger, Unit
from triplewire.federation.indexes.group_index import GroupIndex
from triplewire.federation.indexes.local_index import IndexChange
from triplewire.federation.indexes.network_index import NetworkIndex
from triplewire.federation.indexes.whole_schema import WholeSchema
from triplewire.federation.messages import Message
from triplewire.federation.overlay import Overlay
from triplewire.federation.registration.registrar import Registrar
from triplewire.federation.sites.privileges import Privileges
from triplewire.federation.sites.requests import Match
from triplewire.federation.timings import FederationTimings
from triplewire.rules.execution.units import Commutes, Work, none_commutes


class Asked(Struct):
    """A sub-query that a peer has not answered."""

    peer: str
    match: Match
    who: Who
    sent_at: float


class Dispatched(Struct):
    """What has come of a condition, or of an instance of actions: units here, and instances that were sent away.

    Of an instance that another super-peer has sent: the unit that has led to it, its transaction, its rule, and why
    peers were left out.
    """

    units: list[str] = field(default_factory=list)
    instances: list[tuple[str, str]] = field(default_factory=list)
    parent: str = ""
    root: str = ""
    rule: str = ""
    refused: list[str] = field(default_factory=list)


class Judgement(Struct):
    """Deferred rules whose conditions are evaluated together, by name. `unit` goes on afterwards, if one waits."""

    unit: str | None
    conditions: list[str]


class Surroundings(Struct, frozen=True):
    """What a coordinator is given. `depth`: how long a chain of rules that trigger each other may be."""

    me: str
    group: GroupIndex
    registrar: Registrar
    network: NetworkIndex
    overlay: Overlay
    whole: WholeSchema
    follow_index: Callable[[float, str, IndexChange], list[Effect]]
    timings: FederationTimings = FederationTimings()
    commutes: Commutes = none_commutes
    depth: int = 100


class ExecutionState:
    """`now` is the time of the input that is being taken.

    `victims` are to abort so that what is left can be serialised. `put_off` are deferred rules whose transaction is no
    more, while what has triggered them is there still. `spoiled` are those that have read what is undone, each with
    the reason.
    """

    def __init__(self, given: Surroundings, privileges: Privileges) -> None:
        self.given = given
        self.privileges = privileges
        self.now = 0.0
        self.units: dict[str, Unit] = {}
        self.lanes: dict[str, Lane] = {}
        self.aborts = AbortGraph()
        self.order = SerialisationGraph(given.me)
        self.conditions: dict[str, ConditionEvaluation] = {}
        self.served: dict[str, ServedQuery] = {}
        self.asked: dict[str, Asked] = {}
        self.dispatched: dict[str, Dispatched] = {}
        self.work: dict[str, Work] = {}
        self.noted_at: dict[str, float] = {}
        self.ended: dict[str, float] = {}
        self.victims: list[str] = []
        self.judgements: list[Judgement] = []
        self.put_off: list[Trigger] = []
        self.spoiled: dict[str, str] = {}
        self._effects: list[Effect | ToPeer | Happening] = []
        self._numbers = 0

    def number(self) -> str:
        """A new name for a unit, an instance, a condition or a sub-query."""
        self._numbers += 1
        return f"{self.given.me}/{self._numbers}"

    def emit(self, *effects: Effect | ToPeer | Happening) -> None:
        self._effects += effects

    def send(self, to: str, message: Message) -> None:
        self.emit(ToSuperPeer(to, message))

    def taken(self) -> list[Effect | ToPeer | Happening]:
        """The effects since they were taken last."""
        effects, self._effects = self._effects, []
        return effects

    def commute(self, one: Who, other: Who) -> bool:
        """Whether two may come in any order, as far as anybody knows here what they do."""
        works = self.work.get(one.name), self.work.get(other.name)
        return works[0] is not None and works[1] is not None and self.given.commutes(works[0], works[1])

    def note(self, name: str, work: Work) -> None:
        """Note what somebody does who is no unit of ours: a condition, or a reader of another super-peer."""
        self.work[name] = work
        self._noted(name)

    def come_of(self, name: str) -> Dispatched:
        """What has come of a condition or of an instance so far."""
        self._noted(name)
        return self.dispatched.setdefault(name, Dispatched())

    def may_forget_noted(self, before: float) -> bool:
        """Whether conditions, readers and instances are as old as that."""
        return next(iter(self.noted_at.values()), before) < before

    def forget_noted(self, before: float) -> None:
        """Forget conditions, readers and instances as old as that."""
        for name in list(takewhile(lambda name: self.noted_at[name] < before, self.noted_at)):
            del self.noted_at[name]
            self.work.pop(name, None)
            self.dispatched.pop(name, None)
            self.spoiled.pop(name, None)

    def end(self, unit: Unit, status: Status) -> None:
        """A unit has committed or aborted. What was committed may abort later."""
        unit.status, unit.ended_at = status, self.now
        self.ended.pop(unit.id, None)
        self.ended[unit.id] = self.now

    def _noted(self, name: str) -> None:
        # What was noted first is forgotten first.
        self.noted_at.pop(name, None)
        self.noted_at[name] = self.now

    def lane_of(self, unit: Unit) -> Lane:
        return self.lanes[unit.peer]

    def local(self, name: str | None) -> Unit | None:
        """A unit of this super-peer."""
        return None if name is None else self.units.get(name)
