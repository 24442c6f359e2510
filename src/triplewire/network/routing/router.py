"""The router: advertisements, subscriptions and events between one super-peer and its neighbours.

    ways          who is attached to whom
    offering      advertisements, downwards
    forwarding    subscriptions, upwards
    tides         what has been heard, and recalls of what has not

Events go backwards along the path of the subscription (algorithm 2): one that came in on dimension d goes to whoever
is attached in a dimension below d with a subscription that it matches. From every origin these paths form a tree, so
no super-peer gets an event twice; one that comes over another link than the origin's own dimension is dropped, because
a recall brings it over the right one, in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from triplewire.network.effects import Accept, Deed, Say
from triplewire.network.hypercube.members import Members
from triplewire.network.messages import (
    Advertise,
    Attach,
    Description,
    Detach,
    Detached,
    Notify,
    Publication,
    Standing,
    Subscribe,
    Tide,
)
from triplewire.network.routing.advertisements.own_advertisements import Offering
from triplewire.network.routing.attachment_table import Ways
from triplewire.network.routing.attachments import Downstream, Upstream
from triplewire.network.routing.subscriptions.event_matching import Descent, Hearing
from triplewire.network.routing.subscriptions.forwarding import Forwarding, Origin
from triplewire.network.routing.subscriptions.poset import Poset
from triplewire.network.routing.subscriptions.reasoner import Reasoner
from triplewire.network.routing.validation import Customs
from triplewire.network.routing.watermarks import Tides

# So many beats somebody below may be unsure of an origin.
_MOST_DOUBTS = 5


class Router:
    """One super-peer's routing. `heard` is how far it has heard each origin, its own log included."""

    def __init__(
        self, me: str, members: Members, reasoner: Reasoner, heard: dict[str, int], hearing: Hearing | None = None
    ) -> None:
        self.ways = Ways(me, members)
        self.poset: Poset[Origin] = Poset(reasoner)
        self._hearing = hearing or Descent(self.poset)
        self.offering = Offering(self.ways)
        self.tides = Tides(self.ways, heard)
        self.customs = Customs()
        self._forwarding = Forwarding(self.ways, self.poset, self.offering.dimensions, self.tides, reasoner)

    # Our own peers

    def subscribe(self, standing: Standing, peer: str) -> list[Deed]:
        """A peer of ours subscribes."""
        self._begin(standing, peer)
        return self._forwarding.update([standing])

    def unsubscribe(self, key: str, peer: str) -> list[Deed]:
        """A subscription of a peer of ours ends."""
        return self._ended([key], peer)

    def advertise(self, description: Description, peer: str) -> list[Deed]:
        """A peer of ours tells what it will publish."""
        return self.offering.tell(self.offering.register(description, peer))

    def withdraw(self, key: str, peer: str) -> list[Deed]:
        """A peer of ours will no longer publish that."""
        return self.offering.tell(self.offering.withdraw(key, peer))

    def published(self, publications: Sequence[Publication]) -> list[Deed]:
        """Events of our own log, in order."""
        deeds: list[Deed] = []
        for publication in publications:
            self.tides.advance(self.ways.me, publication.position)
            for down in self._wanting(publication):
                if down.replaying is None:
                    deeds += _notify(down, publication)
        return deeds

    def replayed(self, ticket: int, publications: Sequence[Publication], upto: int) -> list[Deed]:
        """What was read of our own log for somebody below."""
        down = self.tides.replaying(ticket)
        if down is None:
            return []
        deeds: list[Deed] = []
        for publication in publications:
            if down in self._wanting(publication):
                deeds += _notify(down, publication)
        return [*deeds, *self.tides.came_to(down, upto)]

    # From above

    def advertised(self, sender: str, advertise: Advertise) -> list[Deed]:
        """What there is in a dimension: everything at first, then changes."""
        up = self._up(sender, advertise.dimension)
        if up is None:
            return []
        added = self.customs.descriptions(advertise.added)
        if advertise.is_first:
            new, gone = self.offering.replace(up.dimension, added)
            up.is_known = True
            return [*self._forwarding.begin(up), *self.offering.tell([*new, *gone])]
        new, gone = self.offering.change(up.dimension, added, advertise.removed)
        return [*self._forwarding.advertised(up, new, gone), *self.offering.tell([*new, *gone])]

    def notified(self, sender: str, notify: Notify) -> list[Deed]:
        """An event from above: for our own peers, and for those below."""
        publication = notify.publication
        up = self._up(sender, notify.dimension)
        if up is None or not self._is_in_turn(up, publication) or not self.customs.is_sound(publication):
            return []
        origins = self._origins(self._hearing.hearers(publication))
        deeds: list[Deed] = [Accept(publication)] if any(isinstance(origin, str) for origin in origins) else []
        for down in self._downs(origins):
            # Whoever is unsure of an origin recalls it first: what comes before that would be out of order.
            if down.dimension < up.dimension and publication.origin not in down.unsure:
                deeds += _notify(down, publication)
        return deeds

    def rose(self, sender: str, tide: Tide) -> list[Deed]:
        """So far everything was sent."""
        up = self._up(sender, tide.dimension)
        if up is not None:
            self.tides.rise(up, tide)
        return []

    def detached(self, sender: str, detached: Detached) -> list[Deed]:
        """The other side does not know of the attachment."""
        up = self._up(sender, detached.dimension)
        return [] if up is None else self._attach(up.dimension, up.other)

    # From below

    def attach(self, sender: str, attach: Attach) -> list[Deed]:
        """Somebody has chosen us."""
        deeds = self._drop((sender, attach.dimension))
        down = Downstream(sender, attach.dimension)
        self.ways.down[down.origin] = down
        return [*deeds, *self.offering.first(down)]

    def detach(self, sender: str, detach: Detach) -> list[Deed]:
        """Somebody has chosen another."""
        return self._drop((sender, detach.dimension))

    def subscribed(self, sender: str, subscribe: Subscribe) -> list[Deed]:
        """Subscriptions from below begin and end, and something may be recalled."""
        down = self.ways.down.get((sender, subscribe.dimension))
        if down is None:
            return [Say(sender, Detached(subscribe.dimension))]
        added = self.customs.standings(subscribe.added)
        for standing in added:
            down.table[standing.key] = standing
            self._begin(standing, down.origin)
        deeds = self._forwarding.update(added)
        gone = [key for key in subscribe.removed if down.table.pop(key, None) is not None]
        deeds += self._ended(gone, down.origin)
        if subscribe.recall is not None:
            deeds += self.tides.recalled(down, subscribe.recall)
        return deeds

    # The cube

    def reconsider(self, me_moved: bool) -> list[Deed]:
        """The cube has changed: attach to whom we have chosen now, and recall who stands elsewhere than before."""
        before = self.ways.survey()
        deeds = self._drop_absent(me_moved)
        deeds += self._choose()
        moved = self._moved(before)
        wanted = {origin: self.tides.heard[origin] for origin in moved if origin in self.tides.heard}
        for down in self.ways.downs():
            risen = [origin for origin in moved if self._is_unsure(origin, down, before)]
            met = down.meet(risen)
            wanted |= {origin: min(position, wanted.get(origin, position)) for origin, position in met.items()}
        self.tides.recall(wanted)
        return deeds

    def settle(self) -> list[Deed]:
        """Whoever has not recalled an origin that it should be unsure of sees another cube: let it attach again."""
        deeds: list[Deed] = []
        for down in self.ways.downs():
            down.doubts = down.doubts + 1 if down.unsure else 0
            if down.doubts > _MOST_DOUBTS:
                deeds += [*self._drop(down.origin), Say(down.other, Detached(down.dimension))]
        return deeds

    def restarted(self, other: str) -> list[Deed]:
        """The link to somebody began anew: what was agreed over it is void."""
        gone = [origin for origin in self.ways.down if origin[0] == other]
        deeds = [deed for origin in gone for deed in self._drop(origin)]
        again = [up for up in self.ways.up.values() if up.other == other]
        return [*deeds, *(deed for up in again for deed in self._attach(up.dimension, other))]

    # Private

    def _is_in_turn(self, up: Upstream, publication: Publication) -> bool:
        """Whether an event came the right way, and not before one that was recalled."""
        origin = publication.origin
        if not up.is_known:
            # Still of an attachment before this one, to the same super-peer.
            return False
        return self.ways.dimension_of.get(origin) == up.dimension and origin not in up.doubtful

    def _moved(self, before: dict[str, int]) -> list[str]:
        """Who was known and stands elsewhere now, or has come back."""
        now = self.ways.dimension_of
        known = self.tides.heard
        return [
            origin
            for origin, dimension in now.items()
            if before.get(origin) != dimension and (origin in before or origin in known)
        ]

    def _is_unsure(self, origin: str, down: Downstream, before: dict[str, int]) -> bool:
        """Whether an origin has come to stand above somebody who may lack what it published before that."""
        return before.get(origin, -1) <= down.dimension < self.ways.dimension_of[origin]

    def _choose(self) -> list[Deed]:
        chosen = self.ways.chosen()
        deeds: list[Deed] = []
        for dimension in [dimension for dimension in self.ways.up if chosen.get(dimension) is None]:
            deeds += self._leave(dimension)
        for dimension, other in chosen.items():
            up = self.ways.up.get(dimension)
            if up is None or up.other != other:
                deeds += [Say(up.other, Detach(dimension))] if up is not None else []
                deeds += self._attach(dimension, other)
        return deeds

    def _attach(self, dimension: int, other: str) -> list[Deed]:
        self.ways.up[dimension] = Upstream(other, dimension)
        return [Say(other, Attach(dimension))]

    def _leave(self, dimension: int) -> list[Deed]:
        up = self.ways.up.pop(dimension)
        _, gone = self.offering.replace(dimension, ())
        return [Say(up.other, Detach(dimension)), *self.offering.tell(gone)]

    def _drop_absent(self, me_moved: bool) -> list[Deed]:
        deeds: list[Deed] = []
        for origin in list(self.ways.down):
            if not self.ways.members.is_alive(origin[0]):
                deeds += self._drop(origin)
            elif me_moved:
                deeds += [*self._drop(origin), Say(origin[0], Detached(origin[1]))]
        return deeds

    def _drop(self, origin: tuple[str, int]) -> list[Deed]:
        down = self.ways.down.pop(origin, None)
        return [] if down is None else self._ended(list(down.table), origin)

    def _ended(self, keys: Iterable[str], origin: Origin) -> list[Deed]:
        ended = [self.poset.standing(key) for key in keys if key in self.poset]
        for standing in ended:
            self.poset.remove(standing.key, origin)
            self._hearing.end(standing.key, origin)
        return self._forwarding.update(ended)

    def _begin(self, standing: Standing, origin: Origin) -> None:
        self.poset.add(standing, origin)
        self._hearing.begin(standing, origin)

    def _origins(self, keys: Iterable[str]) -> set[Origin]:
        """Where subscriptions came from."""
        return {origin for key in keys for origin in self.poset.origins(key)}

    def _wanting(self, publication: Publication) -> list[Downstream]:
        """Who below wants an event that was published here."""
        return self._downs(self._origins(self._hearing.hearers_below(publication))) if self.ways.down else []

    def _downs(self, origins: set[Origin]) -> list[Downstream]:
        return [down for origin, down in self.ways.down.items() if origin in origins]

    def _up(self, sender: str, dimension: int) -> Upstream | None:
        up = self.ways.up.get(dimension)
        return up if up is not None and up.other == sender else None


def _notify(down: Downstream, publication: Publication) -> list[Deed]:
    return [Say(down.other, Notify(down.dimension, publication))] if down.is_new(publication) else []
