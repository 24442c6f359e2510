"""How a node takes part in a space, from its settings."""

from __future__ import annotations

from msgspec import Struct

from triplewire.errors import InputError
from triplewire.node.settings import Settings
from triplewire.node.space.worker.message_codec import MOST_BYTES
from triplewire.node.transport.addresses import own_host, require_address, require_own_address
from triplewire.node.transport.keys import NetworkKey

# A message may hold a whole event, and a replica a little more.
MOST_EVENT_BYTES = MOST_BYTES // 4


class SpaceSettings(Struct, frozen=True, kw_only=True):
    """Where a node listens, and where it joins: without seeds it founds a space, or resumes the one that it was in.

    Without an address it takes a free port of `host`, and the same again after a restart. `seconds` is how long
    publishers and subscribers wait.
    """

    key: NetworkKey
    address: str | None = None
    host: str = "127.0.0.1"
    seeds: tuple[str, ...] = ()
    join_seconds: float = 30.0
    patience: float = 1.0
    strategy: str = "auto"
    seconds: float = 15.0


def space_settings(settings: Settings) -> SpaceSettings | None:
    """The settings of the space, None for a node in none. `InputError` if they are inconsistent."""
    if not settings.space:
        if settings.space_address is not None:
            raise InputError(wanted="--space with --space-address", found="none")
        return None
    if settings.network_key is None:
        raise InputError(wanted="the space's key with --space", found="none", hint="--key FILE")
    if settings.network_address is not None:
        raise InputError(
            wanted="a node of a space or a super-peer of a network",
            found="--space and --network-address",
            hint="one node cannot be both; with --space it is --space-address",
        )
    if settings.event_bytes > MOST_EVENT_BYTES:
        raise InputError(
            wanted=f"events of at most {MOST_EVENT_BYTES:,} bytes in a space", found=f"{settings.event_bytes:,}"
        )
    address = settings.space_address
    return SpaceSettings(
        key=NetworkKey.read(settings.network_key),
        address=None if address is None else require_own_address(address),
        host="127.0.0.1" if address is not None else own_host(settings.host, "--space-address"),
        seeds=tuple(require_address(seed, "the address to join at") for seed in settings.seeds),
        join_seconds=settings.join_seconds,
        patience=settings.network_patience,
        strategy=settings.strategy,
        seconds=settings.space_seconds,
    )
