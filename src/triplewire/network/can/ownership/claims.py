"""Claims: which of two owners is right, and what is left of a claim.

Epochs only grow along the owners of a point: whoever gives a zone away, takes one back or takes one over claims it with
a higher epoch. So an old owner that comes back finds higher epochs wherever it has been replaced. Two that took over at
once are told apart by their identifiers. It does not matter for what is stored who wins: the loser deposits all it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from triplewire.network.can.geometry.space import Box, Zone
from triplewire.network.can.messages import Claim, Record


def rank(claim: Claim, owner: str) -> tuple[int, str]:
    """Of two claims to one point, the one with the greater rank holds."""
    return claim.epoch, owner


def minus(boxes: Iterable[Box], holes: Iterable[Box]) -> list[Box]:
    """Disjoint boxes that are the first without the second."""
    left = list(boxes)
    for hole in holes:
        if any(box.touches(hole) for box in left):
            left = [piece for box in left for piece in box.without(hole)]
    return left


def without(claims: Iterable[Claim], zones: Sequence[Zone]) -> tuple[Claim, ...]:
    """What is left of claims without some zones."""
    return tuple(replace(claim, zone=piece) for claim in claims for piece in minus([claim.zone], zones))


def merged(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """The same zones in fewer claims, where two make one box."""
    found = list(claims)
    while (pair := _pair(found)) is not None:
        one, other, zone = pair
        found = [claim for claim in found if claim not in (one, other)]
        found.append(Claim(zone, max(one.epoch, other.epoch)))
    return tuple(found)


def outranked(own: Record, other: Record) -> list[Zone]:
    """The parts of our zones that another owner has by a greater rank."""
    return [
        mine.zone.intersection(theirs.zone)
        for mine in own.claims
        for theirs in other.claims
        if mine.zone.touches(theirs.zone) and rank(theirs, other.id) > rank(mine, own.id)
    ]


def intersections(some: Iterable[Claim], others: Sequence[Claim]) -> list[Zone]:
    """What both of two owners claim."""
    return [one.zone.intersection(other.zone) for one in some for other in others if one.zone.touches(other.zone)]


def overlap(some: Iterable[Claim], others: Sequence[Claim]) -> bool:
    return any(one.zone.touches(other.zone) for one in some for other in others)


def adjoin(some: Iterable[Claim], others: Sequence[Claim]) -> bool:
    return any(one.zone.adjoins(other.zone) for one in some for other in others)


def _pair(claims: Sequence[Claim]) -> tuple[Claim, Claim, Zone] | None:
    for at, one in enumerate(claims):
        for other in claims[at + 1 :]:
            zone = one.zone.union(other.zone)
            if zone is not None:
                return one, other, zone
    return None
