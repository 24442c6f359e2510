"""What lies where in a simulated space, seen from outside: its tiling, its quadruples, and their replicas.

tiling   every point of the space has exactly one owner
stored   every quadruple of an acknowledged event is stored exactly once, at its owner
replica  and exactly once in replica, at another node
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from msgspec import Struct

from triplewire.network.can.geometry.space import SPACE, Point, Zone
from triplewire.network.can.ownership.kept_replicas import KeptReplicas
from triplewire.network.eventspace.chunks import AddQuads, operations_in
from triplewire.testing.simulation.eventspace.checker import SpaceChecker
from triplewire.testing.simulation.eventspace.host import SpaceHost
from triplewire.testing.simulation.eventspace.world import SpaceWorld


class Problem(Struct, frozen=True):
    """A rule that what lies where breaks."""

    rule: str
    sentence: str


def problems(world: SpaceWorld) -> list[Problem]:
    """What is wrong now. While nodes are down or zones move, something is."""
    return [*tiling_problems(world), *storage_problems(world)]


def tiling_problems(world: SpaceWorld) -> Iterator[Problem]:
    zones = [(host.id, zone) for host in world.hosts.values() for zone in zones_of(host)]
    for (one, mine), (other, theirs) in combinations(zones, 2):
        if mine.touches(theirs):
            yield Problem("tiling", f"{one} and {other} both own {mine.intersection(theirs)}")
    holes = [SPACE]
    for _, zone in zones:
        holes = [piece for hole in holes for piece in hole.without(zone)]
    for hole in holes:
        yield Problem("tiling", f"nobody owns {hole}")


def storage_problems(world: SpaceWorld) -> Iterator[Problem]:
    wanted = set(SpaceChecker(world.history).acknowledged())
    hosts = [host for host in world.hosts.values() if host.is_up]
    stored = {host.id: set(host.disk.storage.quads(SPACE)) for host in hosts}
    kept = {(host.id, owner): replica_points(host, owner) for host in hosts for owner in stored}
    counts = Counter(point for points in stored.values() for point in points)
    for point in wanted | counts.keys():
        owners = [host.id for host in hosts if any(point in zone for zone in zones_of(host))]
        at = [host_id for host_id, points in stored.items() if point in points]
        if at != owners:
            yield Problem("stored", f"{point} is stored at {at}, and owned by {owners}")
        replicas = [holder for (holder, owner), points in kept.items() if owner in owners and point in points]
        if len(hosts) > 1 and len(replicas) != 1:
            yield Problem("replica", f"{point}, owned by {owners}, is in replica at {replicas}")


def is_expendable(world: SpaceWorld, host_id: str) -> bool:
    """Whether a node may lose its disk: another one keeps its replica, and has all that is acknowledged and only there.

    A space in which nobody can keep a replica, since there is one node only, cannot lose that.
    """
    others = [host for host in world.hosts.values() if host.id != host_id]
    if not any(KeptReplicas(host.disk.storage).of(host_id) for host in others):
        return False
    elsewhere = {point for host in others for point in host.disk.storage.quads(SPACE)}
    elsewhere |= {point for host in others for owner in world.hosts for point in replica_points(host, owner)}
    return elsewhere.issuperset(SpaceChecker(world.history).acknowledged())


def zones_of(host: SpaceHost) -> tuple[Zone, ...]:
    return () if host.member is None else host.member.zones


def replica_points(host: SpaceHost, owner: str) -> set[Point]:
    """The quadruples in the replica of an owner that a node keeps."""
    chunks = KeptReplicas(host.disk.storage).chunks(owner)
    operations = (operation for chunk in chunks for operation in operations_in(chunk))
    return {point for operation in operations if isinstance(operation, AddQuads) for point in operation.points}
