"""What a service manager is told of a node: that it is ready, and that it is stopping.

The protocol is systemd's (sd_notify): one datagram of `NAME=value` lines to the socket that `NOTIFY_SOCKET` names.
Whoever started the node by hand set no such variable, and nothing is sent.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Mapping

_log = logging.getLogger(__name__)
_VARIABLE = "NOTIFY_SOCKET"
_WAIT_SECONDS = 5.0


def tell_ready(url: str, environment: Mapping[str, str] = os.environ) -> None:
    """The node listens, and is where it should be in its network or space."""
    _tell(environment, READY="1", STATUS=f"listening at {url}")


def tell_stopping(environment: Mapping[str, str] = os.environ) -> None:
    """Listening has ended; what was begun is brought to its end."""
    _tell(environment, STOPPING="1", STATUS="ending what was begun")


def _tell(environment: Mapping[str, str], **state: str) -> None:
    path = environment.get(_VARIABLE)
    if not path:
        return
    message = "\n".join(f"{name}={value}" for name, value in state.items())
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
            channel.settimeout(_WAIT_SECONDS)
            channel.connect(_address(path))
            channel.sendall(message.encode())
    except OSError as error:
        # A node that works is worth more than a manager that knows of it.
        _log.warning("could not tell the service manager at %s: %s", path, error)


def _address(path: str) -> str:
    """A leading @ stands for the zero byte of a socket that has no file.

    >>> _address("@manager"), _address("/run/notify")
    ('\\x00manager', '/run/notify')
    """
    return f"\0{path[1:]}" if path.startswith("@") else path
