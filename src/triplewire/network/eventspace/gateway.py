"""The gateway of a node's clients: publishes events, issues subscriptions, and notifies of each match once.

A candidate that comes without its quadruples is collected from the zones of `(g, ?s, ?p, ?o)`. The header says how many
there are: no timeout tells when an event is whole, and quadruples that are still on their way are sent after. Then the
subscription is evaluated on the event as it was published: only now are the taxonomy's functions and the general lane
decided, and a candidate that does not hold is dropped. What was decided for an event is not decided again, so
duplicates end here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, field

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import EMPTY, Taxonomy
from triplewire.errors import BudgetExceeded, UnknownSubscription
from triplewire.matching.evaluation.budget import Allowance
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.evaluation.plans import QueryPlan, query_plan
from triplewire.matching.general.datasets import IN_PROCESS, Evaluator
from triplewire.network.can.space import Bounds, Zone
from triplewire.network.eventspace.blank_nodes import qualified, unqualified
from triplewire.network.eventspace.causality import Stamp, stamp
from triplewire.network.eventspace.chains import event_bounds, index_bounds
from triplewire.network.eventspace.effects import (
    Established,
    EvaluationFailed,
    Notify,
    Published,
    SpaceEffect,
    ToNode,
    ToOwners,
    ToZones,
)
from triplewire.network.eventspace.messages import (
    AskSettled,
    CandidateFound,
    CollectEvent,
    EventHeader,
    EventSettled,
    IndexSubscription,
    QuadsFound,
    QuadsStored,
    RemoveSubscription,
    SpaceSubscription,
    StoreEvent,
    StoreQuad,
    SubscriptionIndexed,
    SubscriptionKey,
)
from triplewire.network.eventspace.records import StoredQuad, assembled, quads_in, stored_quad
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.rdf.events import Event
from triplewire.rdf.terms import NamedNode, Quad, Triple

Effects = Iterator[SpaceEffect]


class _Subscribed(Struct):
    """A subscription of a client; `unindexed` is where it is not known to be indexed yet."""

    id: str
    sent: SpaceSubscription
    plan: QueryPlan
    unindexed: list[Bounds]
    decided: set[str] = field(default_factory=set)


class _Unstored(Struct):
    """A publication, the numbers of its quadruples that are not known to be stored, and who waits for them."""

    stamp: Stamp
    numbers: set[int]
    askers: dict[str, str] = field(default_factory=dict)


class _Collection(Struct):
    """An event on its way here, and the subscriptions that it is a candidate for."""

    header: EventHeader
    keys: set[SubscriptionKey] = field(default_factory=set)
    quads: dict[bytes, StoredQuad] = field(default_factory=dict)


class Gateway:
    """What a node does for its clients. `position` is the end of its log when it starts."""

    def __init__(
        self,
        name: str,
        strategy: PublicationStrategy = PublicationStrategy.AUTO,
        taxonomy: Taxonomy | None = None,
        *,
        evaluator: Evaluator = IN_PROCESS,
        allowance: Allowance = Allowance(),  # noqa: B008  frozen
        position: int = 0,
    ) -> None:
        self.position = position
        self._name = name
        self._strategy = strategy
        self._taxonomy = taxonomy or EMPTY
        self._evaluator = evaluator
        self._allowance = allowance
        self._subscribed: dict[SubscriptionKey, _Subscribed] = {}
        self._unstored: dict[int, _Unstored] = {}
        self._collections: dict[str, _Collection] = {}

    # For clients

    def publish(self, event: Event, seen: Mapping[str, int]) -> tuple[Stamp, Effects]:
        """Send an event into the space. `seen` is how far its client has come in the logs of other nodes."""
        published = self._stamp(seen)
        header = EventHeader(event.graph.value, published, len(event), event.time.isoformat(), event.source)
        quads = sorted((_qualified(triple, event.graph) for triple in event.triples), key=lambda quad: quad.line)
        self._unstored[published.position] = _Unstored(published, set(range(len(quads))))
        whole = self._strategy.for_event(len(quads), len(event.nquads)) is PublicationStrategy.OSMA
        return published, _as_a_whole(header, quads) if whole else _one_by_one(header, quads)

    def subscribe(self, subscription: Subscription, seen: Mapping[str, int]) -> tuple[Stamp, Effects]:
        """Send a subscription to the zones of its first pattern."""
        issued = self._stamp(seen)
        sent = SpaceSubscription(issued, subscription.language, subscription.text)
        bounds = index_bounds(sent)
        known = _Subscribed(subscription.id, sent, query_plan(subscription.query), list(bounds))
        self._subscribed[sent.key] = known
        if not bounds:
            return issued, iter((Established(known.id, issued),))
        return issued, iter((ToZones(bounds, IndexSubscription(sent)),))

    def unsubscribe(self, key: SubscriptionKey) -> Effects:
        """Withdraw a subscription; nothing is notified from now on, whatever is on its way."""
        known = self._subscribed.pop(key, None)
        if known is None:
            raise UnknownSubscription(wanted=f"to remove the subscription {key!r}", found="none of that key")
        bounds = index_bounds(known.sent)
        return iter((ToZones(bounds, RemoveSubscription(key)),) if bounds else ())

    # For zones

    def indexed(self, message: SubscriptionIndexed) -> Effects:
        """Zones have indexed a subscription. It is established when they cover all of its bounds."""
        known = self._subscribed.get(message.key)
        if known is None or not known.unindexed:
            return
        known.unindexed = _without(known.unindexed, message.zones)
        if not known.unindexed:
            yield Established(known.id, known.sent.stamp)

    def stored(self, message: QuadsStored) -> Effects:
        """Quadruples are stored. When all are, nobody has to wait any longer."""
        publication = self._unstored.get(message.position)
        if publication is None:
            return
        publication.numbers.difference_update(message.numbers)
        if not publication.numbers:
            del self._unstored[message.position]
            yield Published(publication.stamp)
            for asker, event in publication.askers.items():
                yield ToNode(asker, EventSettled(event))

    def answer_settled(self, message: AskSettled) -> Effects:
        publication = self._unstored.get(message.position)
        if publication is None:
            yield ToNode(message.asker, EventSettled(message.event))
        else:
            publication.askers[message.asker] = message.event

    def candidate(self, message: CandidateFound) -> Effects:
        """An event came through a chain: decide, or collect it first."""
        known = self._subscribed.get(message.key)
        if known is None or message.header.event in known.decided:
            return
        if message.nquads is not None:
            yield from self._decide(message.header, quads_in(message.nquads), [message.key])
            return
        begun = message.header.event in self._collections
        collection = self._collections.setdefault(message.header.event, _Collection(message.header))
        collection.keys.add(message.key)
        if not begun:
            bounds = event_bounds(NamedNode(message.header.event))
            yield ToZones((bounds,), CollectEvent(message.header, self._name))

    def found(self, message: QuadsFound) -> Effects:
        """Quadruples of an event that is being collected. When it is whole, decide."""
        collection = self._collections.get(message.event)
        if collection is None:
            return
        collection.quads.update((quad.line, quad) for line in message.lines for quad in quads_in(line))
        if len(collection.quads) == collection.header.size:
            del self._collections[message.event]
            yield from self._decide(collection.header, collection.quads.values(), sorted(collection.keys))

    # Private

    def _stamp(self, seen: Mapping[str, int]) -> Stamp:
        self.position += 1
        return stamp(self._name, self.position, seen)

    def _decide(self, header: EventHeader, quads: Iterable[StoredQuad], keys: Iterable[SubscriptionKey]) -> Effects:
        event = assembled(header, (unqualified(quad.triple) for quad in quads))
        dataset = self._evaluator.dataset(EventView(event, self._taxonomy))
        for known in (self._subscribed[key] for key in keys if key in self._subscribed):
            if header.event in known.decided:
                continue
            known.decided.add(header.event)
            try:
                answer = known.plan.answer(dataset, self._allowance)
            except BudgetExceeded as error:
                yield EvaluationFailed(known.id, event, str(error))
                continue
            if answer is not None:
                yield Notify(known.id, event, answer)


def _qualified(triple: Triple, event: NamedNode) -> StoredQuad:
    alone = qualified(triple, event)
    return stored_quad(Quad(alone.subject, alone.predicate, alone.object, event))


def _one_by_one(header: EventHeader, quads: list[StoredQuad]) -> Effects:
    for number, quad in enumerate(quads):
        yield ToOwners((quad.point,), StoreQuad(header, number, quad.line))


def _as_a_whole(header: EventHeader, quads: list[StoredQuad]) -> Effects:
    nquads = b"".join(quad.line for quad in quads)
    yield ToOwners(tuple(quad.point for quad in quads), StoreEvent(header, nquads))


def _without(bounds: list[Bounds], zones: Iterable[Zone]) -> list[Bounds]:
    for zone in zones:
        bounds = [piece for box in bounds for piece in box.without(zone)]
    return bounds
