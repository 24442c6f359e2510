"""Traffic by subscription, event and broadcast: who sent what to whom."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from triplewire.network.messages import Broadcast, LinkFrame, Notify, Packet, Subscribe

Edge = tuple[str, str]


class Traffic:
    """Watches a network: `world.trace.watch = traffic.see`. What is sent twice, because it was lost, counts twice."""

    def __init__(self) -> None:
        self.subscriptions: defaultdict[str, list[Edge]] = defaultdict(list)
        self.events: defaultdict[str, list[Edge]] = defaultdict(list)
        self.broadcasts: defaultdict[str, list[Edge]] = defaultdict(list)

    def see(self, sender: str, receiver: str, packet: Packet) -> None:
        """One message."""
        if not isinstance(packet, LinkFrame):
            return
        edge = (sender, receiver)
        match packet.message:
            case Subscribe(added=added):
                for standing_query in added:
                    self.subscriptions[standing_query.key].append(edge)
            case Notify(publication=publication):
                self.events[publication.event].append(edge)
            case Broadcast(id=name):
                self.broadcasts[name].append(edge)

    def needless(self, event: str, accepted: Iterable[str]) -> set[str]:
        """Super-peers that got an event, but neither accepted it nor forwarded it towards one that did."""
        useful = set(accepted)
        edges = self.events.get(event, [])
        while wanted := {sender for sender, receiver in edges if receiver in useful} - useful:
            useful |= wanted
        return {receiver for _, receiver in edges} - useful


def depths(edges: Iterable[Edge], root: str) -> Mapping[str, int]:
    """How many hops each was from the root.

    >>> dict(depths([("a", "b"), ("b", "c"), ("a", "d")], "a"))
    {'a': 0, 'b': 1, 'd': 1, 'c': 2}
    """
    onward: defaultdict[str, list[str]] = defaultdict(list)
    for sender, receiver in edges:
        onward[sender].append(receiver)
    found = {root: 0}
    waiting = [root]
    for place in waiting:
        for receiver in onward[place]:
            if receiver not in found:
                found[receiver] = found[place] + 1
                waiting.append(receiver)
    return found
