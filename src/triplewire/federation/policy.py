"""What each super-peer decides for itself."""

from __future__ import annotations

from msgspec import Struct

from triplewire.federation.registration.precedence import Scheme
from triplewire.rules.execution.units import Commutes, none_commutes


class Policy(Struct, frozen=True, kw_only=True):
    """The local precedence scheme, which units may run in any order, and how deep a cascade may be."""

    scheme: Scheme = Scheme.TIMESTAMP
    commutes: Commutes = none_commutes
    depth: int = 100
