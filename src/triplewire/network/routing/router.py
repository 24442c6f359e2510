"""The router: advertisements, subscriptions and events between one super-peer and its neighbours.

    attachments    who is attached to whom
    advertisements forwarding of advertisements, downstream
    forwarding     forwarding of subscriptions, upstream
    watermarks     positions up to which everything was received, and recalls of the rest

Events go backwards along the path of the subscription (algorithm 2): one that came in on dimension d goes to each
downstream in a dimension below d with a subscription that it matches. From every origin these paths form a tree, so no
super-peer gets an event twice; one that comes over another link than the origin's own dimension is dropped, because a
recall brings it over the right one, in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from triplewire.network.effects import Accept, Action, SendMessage
from triplewire.network.hypercube.members import Members
from triplewire.network.messages import (
    Advertise,
    Attach,
    Description,
    Detach,
    Detached,
    Notify,
    Publication,
    StandingQuery,
    Subscribe,
    WatermarkUpdate,
)
from triplewire.network.routing.advertisements.forwarding import AdvertisementForwarding
from triplewire.network.routing.attachments import AttachmentTable, Downstream, Upstream
from triplewire.network.routing.subscriptions.event_matching import EventMatcher, PosetMatcher
from triplewire.network.routing.subscriptions.forwarding import Origin, SubscriptionForwarding
from triplewire.network.routing.subscriptions.poset import Poset
from triplewire.network.routing.subscriptions.reasoner import Reasoner
from triplewire.network.routing.validation import Validator
from triplewire.network.routing.watermarks import Watermarks

# For so many heartbeats a downstream may owe the recall of an origin.
_MAX_BEATS_WAITING = 5


class Router:
    """One super-peer's routing. `watermarks` has its position for each origin, its own log included."""

    def __init__(
        self,
        me: str,
        members: Members,
        reasoner: Reasoner,
        watermarks: dict[str, int],
        matcher: EventMatcher | None = None,
    ) -> None:
        self.attachments = AttachmentTable(me, members)
        self.poset: Poset[Origin] = Poset(reasoner)
        self._matcher = matcher or PosetMatcher(self.poset)
        self.advertisements = AdvertisementForwarding(self.attachments)
        self.watermarks = Watermarks(self.attachments, watermarks)
        self.validator = Validator()
        self._forwarding = SubscriptionForwarding(
            self.attachments, self.poset, self.advertisements.dimensions, self.watermarks, reasoner
        )

    # Our own peers

    def subscribe(self, query: StandingQuery, peer: str) -> list[Action]:
        """Add a subscription of one of our peers."""
        self._add_query(query, peer)
        return self._forwarding.update([query])

    def unsubscribe(self, key: str, peer: str) -> list[Action]:
        """Remove a subscription of one of our peers."""
        return self._remove_queries([key], peer)

    def advertise(self, description: Description, peer: str) -> list[Action]:
        """Add an advertisement of one of our peers."""
        return self.advertisements.announce(self.advertisements.register(description, peer))

    def withdraw(self, key: str, peer: str) -> list[Action]:
        """Remove an advertisement of one of our peers."""
        return self.advertisements.announce(self.advertisements.withdraw(key, peer))

    def published(self, publications: Sequence[Publication]) -> list[Action]:
        """Route events of our own log, in order."""
        actions: list[Action] = []
        for publication in publications:
            self.watermarks.advance(self.attachments.me, publication.position)
            for down in self._matching_downstreams(publication):
                if down.replayed_to is None:
                    actions += _notify(down, publication)
        return actions

    def replayed(self, ticket: int, publications: Sequence[Publication], upto: int) -> list[Action]:
        """Route what was read of our own log for a downstream."""
        down = self.watermarks.replay_target(ticket)
        if down is None:
            return []
        actions: list[Action] = []
        for publication in publications:
            if down in self._matching_downstreams(publication):
                actions += _notify(down, publication)
        return [*actions, *self.watermarks.replay_reached(down, upto)]

    # From upstream

    def advertised(self, sender: str, advertise: Advertise) -> list[Action]:
        """What is advertised in a dimension: everything at first, then changes."""
        up = self._upstream(sender, advertise.dimension)
        if up is None:
            return []
        added = self.validator.descriptions(advertise.added)
        if advertise.is_first:
            new, gone = self.advertisements.replace(up.dimension, added)
            up.is_open = True
            return [*self._forwarding.begin(up), *self.advertisements.announce([*new, *gone])]
        new, gone = self.advertisements.change(up.dimension, added, advertise.removed)
        return [*self._forwarding.advertised(up, new, gone), *self.advertisements.announce([*new, *gone])]

    def notified(self, sender: str, notify: Notify) -> list[Action]:
        """An event from upstream: for our own peers, and for downstreams."""
        publication = notify.publication
        up = self._upstream(sender, notify.dimension)
        if up is None or not self._is_expected(up, publication) or not self.validator.is_valid(publication):
            return []
        origins = self._origins(self._matcher.matching_keys(publication))
        actions: list[Action] = [Accept(publication)] if any(isinstance(origin, str) for origin in origins) else []
        for down in self._downstreams(origins):
            # A downstream that owes the recall of an origin gets nothing of it before: it would be out of order.
            if down.dimension < up.dimension and publication.origin not in down.awaiting_recall:
                actions += _notify(down, publication)
        return actions

    def watermarks_received(self, sender: str, update: WatermarkUpdate) -> list[Action]:
        """Take the watermarks of an upstream."""
        up = self._upstream(sender, update.dimension)
        if up is not None:
            self.watermarks.receive(up, update)
        return []

    def detached(self, sender: str, detached: Detached) -> list[Action]:
        """The upstream does not know the attachment: attach again."""
        up = self._upstream(sender, detached.dimension)
        return [] if up is None else self._attach(up.dimension, up.other)

    # From downstream

    def attach(self, sender: str, attach: Attach) -> list[Action]:
        """A neighbour has chosen us."""
        actions = self._drop((sender, attach.dimension))
        down = Downstream(sender, attach.dimension)
        self.attachments.downstream[down.origin] = down
        return [*actions, *self.advertisements.initial(down)]

    def detach(self, sender: str, detach: Detach) -> list[Action]:
        """A neighbour has chosen another one."""
        return self._drop((sender, detach.dimension))

    def subscribed(self, sender: str, subscribe: Subscribe) -> list[Action]:
        """Add and remove subscriptions of a downstream, and answer its recall."""
        down = self.attachments.downstream.get((sender, subscribe.dimension))
        if down is None:
            return [SendMessage(sender, Detached(subscribe.dimension))]
        added = self.validator.queries(subscribe.added)
        for query in added:
            down.queries[query.key] = query
            self._add_query(query, down.origin)
        actions = self._forwarding.update(added)
        gone = [key for key in subscribe.removed if down.queries.pop(key, None) is not None]
        actions += self._remove_queries(gone, down.origin)
        if subscribe.recall is not None:
            actions += self.watermarks.answer_recall(down, subscribe.recall)
        return actions

    # The cube

    def layout_changed(self, me_moved: bool) -> list[Action]:
        """The cube has changed: attach to the neighbours that we choose now, and recall the origins that moved."""
        before = self.attachments.update_dimensions()
        actions = self._drop_absent(me_moved)
        actions += self._attach_to_chosen()
        moved = self._moved(before)
        wanted = {origin: self.watermarks.positions[origin] for origin in moved if origin in self.watermarks.positions}
        for down in self.attachments.downstreams():
            origins = [origin for origin in moved if self._must_recall_first(origin, down, before)]
            early = down.take_early_recalls(origins)
            wanted |= {origin: min(position, wanted.get(origin, position)) for origin, position in early.items()}
        self.watermarks.recall(wanted)
        return actions

    def drop_stale_attachments(self) -> list[Action]:
        """A downstream that does not recall an origin that moved sees another cube: make it attach again."""
        actions: list[Action] = []
        for down in self.attachments.downstreams():
            down.beats_waiting = down.beats_waiting + 1 if down.awaiting_recall else 0
            if down.beats_waiting > _MAX_BEATS_WAITING:
                actions += [*self._drop(down.origin), SendMessage(down.other, Detached(down.dimension))]
        return actions

    def restarted(self, other: str) -> list[Action]:
        """The link to a neighbour restarted: its attachments are void."""
        gone = [origin for origin in self.attachments.downstream if origin[0] == other]
        actions = [action for origin in gone for action in self._drop(origin)]
        again = [up for up in self.attachments.upstream.values() if up.other == other]
        return [*actions, *(action for up in again for action in self._attach(up.dimension, other))]

    # Private

    def _is_expected(self, up: Upstream, publication: Publication) -> bool:
        """Whether an event came over the link of its origin's dimension, and does not precede a recall."""
        origin = publication.origin
        if not up.is_open:
            # It belongs to an earlier attachment to the same super-peer.
            return False
        return self.attachments.dimension_of.get(origin) == up.dimension and origin not in up.unanswered

    def _moved(self, before: dict[str, int]) -> list[str]:
        """The known origins that are in another dimension now, or have come back."""
        now = self.attachments.dimension_of
        known = self.watermarks.positions
        return [
            origin
            for origin, dimension in now.items()
            if before.get(origin) != dimension and (origin in before or origin in known)
        ]

    def _must_recall_first(self, origin: str, down: Downstream, before: dict[str, int]) -> bool:
        """Whether an origin has moved above a downstream that may lack what it published before."""
        return before.get(origin, -1) <= down.dimension < self.attachments.dimension_of[origin]

    def _attach_to_chosen(self) -> list[Action]:
        chosen = self.attachments.chosen()
        actions: list[Action] = []
        for dimension in [dimension for dimension in self.attachments.upstream if chosen.get(dimension) is None]:
            actions += self._detach(dimension)
        for dimension, other in chosen.items():
            up = self.attachments.upstream.get(dimension)
            if up is None or up.other != other:
                actions += [SendMessage(up.other, Detach(dimension))] if up is not None else []
                actions += self._attach(dimension, other)
        return actions

    def _attach(self, dimension: int, other: str) -> list[Action]:
        self.attachments.upstream[dimension] = Upstream(other, dimension)
        return [SendMessage(other, Attach(dimension))]

    def _detach(self, dimension: int) -> list[Action]:
        up = self.attachments.upstream.pop(dimension)
        _, gone = self.advertisements.replace(dimension, ())
        return [SendMessage(up.other, Detach(dimension)), *self.advertisements.announce(gone)]

    def _drop_absent(self, me_moved: bool) -> list[Action]:
        actions: list[Action] = []
        for origin in list(self.attachments.downstream):
            if not self.attachments.members.is_alive(origin[0]):
                actions += self._drop(origin)
            elif me_moved:
                actions += [*self._drop(origin), SendMessage(origin[0], Detached(origin[1]))]
        return actions

    def _drop(self, origin: tuple[str, int]) -> list[Action]:
        down = self.attachments.downstream.pop(origin, None)
        return [] if down is None else self._remove_queries(list(down.queries), origin)

    def _remove_queries(self, keys: Iterable[str], origin: Origin) -> list[Action]:
        ended = [self.poset.query(key) for key in keys if key in self.poset]
        for query in ended:
            self.poset.remove(query.key, origin)
            self._matcher.remove(query.key, origin)
        return self._forwarding.update(ended)

    def _add_query(self, query: StandingQuery, origin: Origin) -> None:
        self.poset.add(query, origin)
        self._matcher.add(query, origin)

    def _origins(self, keys: Iterable[str]) -> set[Origin]:
        """The origins of queries."""
        return {origin for key in keys for origin in self.poset.origins(key)}

    def _matching_downstreams(self, publication: Publication) -> list[Downstream]:
        """The downstreams that subscribe to an event that was published here."""
        if not self.attachments.downstream:
            return []
        return self._downstreams(self._origins(self._matcher.matching_keys_downstream(publication)))

    def _downstreams(self, origins: set[Origin]) -> list[Downstream]:
        return [down for origin, down in self.attachments.downstream.items() if origin in origins]

    def _upstream(self, sender: str, dimension: int) -> Upstream | None:
        up = self.attachments.upstream.get(dimension)
        return up if up is not None and up.other == sender else None


def _notify(down: Downstream, publication: Publication) -> list[Action]:
    return [SendMessage(down.other, Notify(down.dimension, publication))] if down.is_new(publication) else []
