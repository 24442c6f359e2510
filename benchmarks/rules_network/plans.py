"""How much a run measures."""

from __future__ import annotations

from msgspec import Struct


class RealPlan(Struct, frozen=True):
    """Real processes: how many super-peers, how many updates a second and how long; how many rules are registered."""

    super_peers: int = 8
    updates_per_second: float = 50.0
    seconds: float = 30.0
    registrations: int = 200
    warm: int = 20


class Plan(Struct, frozen=True):
    """Sizes of simulated networks, with the registrations and firings in each; and real processes."""

    sizes: tuple[int, ...]
    registrations: int
    firings: int
    real: RealPlan = RealPlan()


FULL = Plan(sizes=(4, 8, 16, 32, 64), registrations=200, firings=300)
QUICK = Plan(
    sizes=(4, 8, 16),
    registrations=20,
    firings=20,
    real=RealPlan(super_peers=4, updates_per_second=20.0, seconds=3.0, registrations=10, warm=5),
)
