"""The overlay's settings, from those of the node."""

from __future__ import annotations

import msgspec

from triplewire.errors import InputError
from triplewire.federation.timings import FederationTimings
from triplewire.network.timings import Timings
from triplewire.node.overlay.overlay import OverlaySettings
from triplewire.node.settings import Settings
from triplewire.node.transport.addresses import own_host, require_address, require_own_address
from triplewire.node.transport.keys import NetworkKey
from triplewire.node.transport.message_codec import MOST_BYTES

# A message holds one event and its metadata.
MOST_EVENT_BYTES = MOST_BYTES // 2


def overlay_settings(settings: Settings) -> OverlaySettings | None:
    """The settings of the overlay, None for a node without a network. `InputError` if they are inconsistent."""
    if settings.space:
        return None
    if settings.network_key is None:
        if settings.seeds or settings.network_address is not None:
            raise InputError(
                wanted="a network's key with --join and --network-address", found="none", hint="--key FILE"
            )
        return None
    if settings.event_bytes > MOST_EVENT_BYTES:
        raise InputError(
            wanted=f"events of at most {MOST_EVENT_BYTES:,} bytes in a network", found=f"{settings.event_bytes:,}"
        )
    address = settings.network_address
    return OverlaySettings(
        key=NetworkKey.read(settings.network_key),
        address=None if address is None else require_own_address(address),
        host="127.0.0.1" if address is not None else own_host(settings.host, "--network-address"),
        seeds=tuple(require_address(seed, "the address to join at") for seed in settings.seeds),
        join_seconds=settings.join_seconds,
        timings=scaled_timings(settings.network_patience),
    )


def scaled_timings(factor: float) -> Timings:
    """The default timings, all of them multiplied by a factor.

    >>> scaled_timings(2.0).heartbeat
    2.0
    """
    return Timings(**{name: value * factor for name, value in msgspec.structs.asdict(Timings()).items()})


def scaled_rule_timings(factor: float) -> FederationTimings:
    """Those of rules across super-peers, multiplied likewise; what is remembered is so for as long as ever.

    >>> scaled_rule_timings(2.0).retry, scaled_rule_timings(2.0).remember
    (2.0, 600.0)
    """
    default = FederationTimings()
    waiting = ("retry", "exchange", "growth", "condition", "absence")
    return msgspec.structs.replace(default, **{name: getattr(default, name) * factor for name in waiting})
