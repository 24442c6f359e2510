"""A workload on a simulated space: subscribe, publish in a window, and see when each match is notified.

One publisher hands events to all nodes in turn, as a client of a space may, with so many of them unacknowledged at a
time. One subscriber has all subscriptions, at one node. The decision whether an event that arrives matches is made by
that node's broker, a process of its own in a real node, which has a processor of its own here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from msgspec import Struct

from benchmarks.eventcloud.costs import Step
from benchmarks.eventcloud.describing import Describer
from benchmarks.eventcloud.outcomes import Outcome
from benchmarks.eventcloud.simulator import Prices, Simulator
from benchmarks.eventcloud.space import Broker, NoStorage, space_of
from benchmarks.eventcloud.workload import Workload
from triplewire import Matcher
from triplewire.network.eventspace.effects import Established, EventArrived, Published
from triplewire.network.eventspace.member import SpaceMember
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.rdf.events import Event

WINDOW = 1_000
_REQUEST_SECONDS = 1e-4
_TICK = 0.25
_LONGEST = 3_600.0
# The first events are the sample by which zones are cut.
_FIRST = 1_000_000


def outcome_of(
    experiment: str,
    workload: Workload,
    nodes: int,
    strategy: str,
    events: int,
    prices: Prices,
    *,
    durable: bool = False,
) -> Outcome:
    """Publish so many events into a space of so many nodes."""
    with space_of(workload, nodes, PublicationStrategy(strategy), durable=durable) as space:
        return _Drive(workload, space, prices).outcome(experiment, strategy, events)


class Decided(Struct, frozen=True):
    """What a broker has taken, and which subscriptions are matched by which of it."""

    events: list[str]
    matches: list[tuple[str, str]]


class _Drive:
    """One workload on one space."""

    def __init__(self, workload: Workload, space: dict[str, tuple[SpaceMember, Any]], prices: Prices) -> None:
        self._workload = workload
        self._members = {name: member for name, (member, _) in space.items()}
        self._names = list(space)
        self._broker = f"broker of {self._names[-1]}"
        machines = {**space, self._broker: (Broker(), NoStorage())}
        self._simulator = Simulator(machines, prices, Describer(workload.starts()).step)
        self._simulator.told = self._told
        self._events: Iterator[tuple[int, Event]] = iter(())
        self._established: set[str] = set()
        self._published: dict[int, float] = {}
        self._notified: dict[tuple[str, str], float] = {}
        self._matcher = Matcher()
        self._arrived: list[EventArrived] = []

    def outcome(self, experiment: str, strategy: str, events: int) -> Outcome:
        """Run it all."""
        simulator, workload = self._simulator, self._workload
        self._start()
        self._subscribe()
        began, working = simulator.now, {name: machine.busy for name, machine in simulator.machines.items()}
        simulator.messages.clear()
        simulator.bytes_sent = 0
        self._events = enumerate(workload.events(_FIRST, events))
        for _ in range(min(WINDOW, events)):
            self._publish_next()
        awaited = events if workload.subscriptions else 0
        self._go_on(lambda: len(self._published) == events and len(self._notified) >= awaited)
        shares = [(m.busy - working[m.name]) / (simulator.now - began) for m in simulator.machines.values()]
        return Outcome(
            experiment,
            strategy,
            nodes=len(self._names),
            subscriptions=workload.subscriptions,
            events=events,
            throughput=_throughput(sorted(self._notified.values())),
            stored=max(self._published.values()) - began,
            messages=simulator.messages.total() / events,
            kilobytes=simulator.bytes_sent / events / 1000,
            busiest=max(shares),
            busy=sum(shares) / len(self._names),
            kinds={kind: count / events for kind, count in simulator.messages.most_common()},
        )

    def _start(self) -> None:
        """All members start, and tick a few times a second, not all at once; until all serve their zones."""
        simulator = self._simulator
        for place, (name, member) in enumerate(self._members.items()):
            simulator.submit(name, Step("start"), member.start)
            simulator.at(_TICK * (1 + place / len(self._names)), partial(self._tick, name))
        self._go_on(
            lambda: all(member.is_settled and member.serves(simulator.now) for member in self._members.values())
        )

    def _tick(self, name: str) -> None:
        self._simulator.submit(name, Step("tick"), self._members[name].tick)
        self._simulator.at(self._simulator.now + _TICK, partial(self._tick, name))

    def _subscribe(self) -> None:
        name = self._names[-1]
        member = self._members[name]
        queries = self._workload.queries() if self._workload.subscriptions else []
        for query in queries:
            self._matcher.add(query)
            self._simulator.submit(name, Step("subscribe"), partial(_subscribed, member, query))
        # What the matcher loads with its first event is not what a decision costs.
        self._matcher.match_nquads(next(self._workload.nquads(0, 1)))
        self._go_on(lambda: len(self._established) == len(queries))

    def _publish_next(self) -> None:
        number, event = next(self._events, (0, None))
        if event is None:
            return
        name = self._names[number % len(self._names)]
        member, step = self._members[name], Step("publish", quads=len(event), size=len(event.nquads))

        def publish(now: float) -> list[Any]:
            return member.publish(now, number, event)

        self._simulator.at(self._simulator.now + _REQUEST_SECONDS, lambda: self._simulator.submit(name, step, publish))

    def _told(self, now: float, name: str, effect: Any) -> None:
        match effect:
            case Established():
                self._established.add(effect.subscription_id)
            case Published():
                self._published[effect.ticket] = now
                self._publish_next()
            case EventArrived():
                self._arrived.append(effect)
                if len(self._arrived) == 1:
                    step = Step("decision")
                    self._simulator.submit(self._broker, step, lambda _: self._decide(step))
            case Decided():
                for event in effect.events:
                    self._simulator.submit(self._names[-1], Step("accepted"), partial(self._accepted, event))
                for match in effect.matches:
                    self._notified.setdefault(match, now)

    def _decide(self, step: Step) -> list[Any]:
        """All that has arrived meanwhile, as a broker takes it: whatever it decides, it has the events."""
        arrived, self._arrived = self._arrived, []
        step.decided = len(arrived)
        found = self._matcher.match_nquads(b"\n".join(one.nquads for one in arrived))
        pairs = zip(found.subscription_ids, found.event_indices, strict=True)
        events = [one.header.event for one in arrived]
        return [Decided(events, [(name, events[at]) for name, at in pairs])]

    def _accepted(self, event: str, now: float) -> list[Any]:
        return self._members[self._names[-1]].accepted(now, event)

    def _go_on(self, is_done: Callable[[], bool]) -> None:
        if not self._simulator.run_until(is_done, self._simulator.now + _LONGEST):
            notified, published = len(self._notified), len(self._published)
            raise RuntimeError(f"wanted all published and notified, found {published:,} and {notified:,}")


def _subscribed(member: SpaceMember, query: Any, now: float) -> list[Any]:
    return member.subscribe(now, query)


def _throughput(moments: list[float]) -> float:
    """Notifications divided by the time between the first and the last (footnote 2)."""
    return len(moments) / (moments[-1] - moments[0]) if moments and moments[-1] > moments[0] else 0.0
