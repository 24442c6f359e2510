"""Addresses of super-peers: `tcp://HOST:PORT` and nothing else.

They come from people and from other members' tables; a connection must not be led to `ipc://` or `inproc://`.
"""

from __future__ import annotations

import ipaddress
import re

from triplewire.errors import InputError

_FORM = re.compile(r"tcp://(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9._-]{1,253}):([0-9]{1,5})")
_MOST_PORT = 65_535


def is_address(text: str) -> bool:
    """Whether it is an address to connect to.

    >>> is_address("tcp://127.0.0.1:7070"), is_address("tcp://[::1]:7070"), is_address("tcp://127.0.0.1:0")
    (True, True, False)
    >>> is_address("ipc:///tmp/x"), is_address("tcp://*:7070"), is_address("tcp://0.0.0.0:7070")
    (False, False, False)
    """
    found = _FORM.fullmatch(text)
    return found is not None and 0 < int(found[2]) <= _MOST_PORT and not _is_everywhere(found[1])


def require_address(text: str, what: str) -> str:
    """The address, or `InputError`."""
    if not is_address(text):
        raise InputError(wanted=f"{what} as tcp://HOST:PORT that others can reach", found=repr(text))
    return text


def is_own_address(text: str) -> bool:
    """Whether it is an address to listen on: a numeric host, and port 0 for a free one.

    >>> is_own_address("tcp://127.0.0.1:0"), is_own_address("tcp://localhost:7070"), is_own_address("tcp://0.0.0.0:1")
    (True, False, False)
    """
    found = _FORM.fullmatch(text)
    return found is not None and int(found[2]) <= _MOST_PORT and _is_number(found[1]) and not _is_everywhere(found[1])


def require_own_address(text: str) -> str:
    """An address to listen on, or `InputError`."""
    if not is_own_address(text):
        raise InputError(
            wanted="the network address as tcp://IP:PORT of this machine, which others can reach", found=repr(text)
        )
    return text


def own_host(host: str, flag: str) -> str:
    """The host of a free port to listen on, for a node whose address was not given by a flag.

    >>> own_host("localhost", "--network-address"), own_host("::1", "--network-address")
    ('127.0.0.1', '[::1]')
    """
    name = {"localhost": "127.0.0.1"}.get(host, host)
    name = f"[{name}]" if ":" in name else name
    if not is_own_address(f"tcp://{name}:0"):
        raise InputError(wanted=f"{flag} tcp://IP:PORT beside --host {host}", found="none")
    return name


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def _is_everywhere(host: str) -> bool:
    """Whether it is the address of every interface: one can listen there, but not connect to it."""
    return _is_number(host) and ipaddress.ip_address(host.strip("[]")).is_unspecified
