"""Where a webhook may lead (row A13).

A URL names a host; the resolver turns it into addresses, once; each of them must be global, whatever form it was
written in; and the connection goes to the very address that was checked. So `0x7f.1`, `2130706433`, IPv4 inside IPv6
and a name that resolves to another address the second time all end here. Loopback is allowed by an explicit option
only.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from triplewire.errors import AddressRefused

Address = IPv4Address | IPv6Address

MAX_URL_LENGTH = 2048
_PORTS = {"http": 80, "https": 443}
_NAT64 = IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_UNICAST = IPv6Network("2000::/3")
# What the address registries reserve, and Python's `is_global` of some versions lets through.
_SPECIAL_V4 = tuple(map(IPv4Network, ("192.0.0.0/24", "192.88.99.0/24")))
_SPECIAL_V6 = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "3fff::/20")))


class Loopback(enum.Enum):
    """May a webhook lead to this very machine?"""

    REFUSED = "refused"
    ALLOWED = "allowed"


class WebhookTarget(Struct, frozen=True):
    """A webhook's URL, taken apart. `host` is what the certificate must name, and what the request says."""

    url: str
    scheme: str
    host: str
    port: int
    path: str

    @property
    def host_header(self) -> str:
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == _PORTS[self.scheme] else f"{name}:{self.port}"

    def url_at(self, address: Address) -> str:
        """The URL with the host replaced by an address, so that nobody resolves it again."""
        literal = f"[{address}]" if address.version == 6 else str(address)
        return f"{self.scheme}://{literal}:{self.port}{self.path}"


def target_of(url: str) -> WebhookTarget:
    """Take a URL apart, or refuse it: http or https, no user name, no fragment, printable ASCII."""
    if len(url) > MAX_URL_LENGTH:
        raise AddressRefused(wanted=f"a webhook URL of at most {MAX_URL_LENGTH} characters", found=str(len(url)))
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise AddressRefused(wanted="a webhook URL of printable ASCII, percent-encoded", found=repr(url))
    parts = _split(url)
    if parts.scheme not in _PORTS:
        raise AddressRefused(wanted="an http or https URL for the webhook", found=repr(url))
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise AddressRefused(wanted="a webhook URL without user name and fragment", found=repr(url))
    if not parts.hostname:
        raise AddressRefused(wanted="a webhook URL with a host", found=repr(url))
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return WebhookTarget(url, parts.scheme, parts.hostname, _port(parts, url), path)


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError as error:
        raise AddressRefused(wanted="a webhook URL", found=f"{url!r}: {error}") from None


def _port(parts: SplitResult, url: str) -> int:
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0:
        raise AddressRefused(wanted="a port from 1 to 65535 in the webhook URL", found=repr(url))
    return _PORTS[parts.scheme] if port is None else port


def permitted(found: Iterable[str], target: WebhookTarget, loopback: Loopback) -> Address:
    """The address to connect to, of those that the host resolved to. One that is not permitted refuses them all."""
    addresses = [ip_address(text) for text in found]
    if not addresses:
        raise AddressRefused(wanted="a webhook host that resolves", found=f"no address for {target.host!r}")
    for address in addresses:
        if not _allowed(address, loopback):
            raise AddressRefused(
                wanted="a webhook host with global addresses only",
                found=f"{target.host!r} at {address}",
                hint=_hint(address),
            )
    return addresses[0]


def _allowed(address: Address, loopback: Loopback) -> bool:
    if is_loopback(address):
        return loopback is Loopback.ALLOWED
    return is_global(address)


def _hint(address: Address) -> str | None:
    return "the node's webhook loopback option would allow it" if is_loopback(address) else None


def is_loopback(address: Address) -> bool:
    """This very machine, also when written as IPv4 inside IPv6.

    >>> is_loopback(ip_address("::ffff:127.0.0.1")), is_loopback(ip_address("10.0.0.1"))
    (True, False)
    """
    inner = embedded(address)
    return address.is_loopback if inner is None else inner.is_loopback


def is_global(address: Address) -> bool:
    """Reachable from everywhere, by the registries of special-purpose addresses.

    >>> is_global(ip_address("64:ff9b::a00:1")), is_global(ip_address("2606:4700::1"))
    (False, True)
    """
    inner = embedded(address)
    if inner is not None:
        return is_global(inner)
    if isinstance(address, IPv4Address):
        special = address.is_multicast or address.is_reserved or any(address in net for net in _SPECIAL_V4)
        return address.is_global and not special
    return address.is_global and address in _UNICAST and not any(address in net for net in _SPECIAL_V6)


def embedded(address: Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address leads to: mapped, NAT64 or 6to4."""
    if isinstance(address, IPv4Address):
        return None
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.sixtofour if address in _SIX_TO_FOUR else None
