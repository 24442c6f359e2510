"""The node's log: one line an entry, for people or as JSON. Nothing from outside can begin a new line.

What opens something is left out: the server logs the address of a WebSocket, and that may have a stream token in it.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import UTC, datetime

from triplewire.node.access.access_tokens import PREFIX as ACCESS_PREFIX
from triplewire.node.access.identity import SECRET_PREFIX
from triplewire.node.access.stream_tokens import PREFIX as TOKEN_PREFIX

ACCESS = "triplewire.access"
_HTTP_CLIENT = "httpx"
_SECRET = re.compile(rf"({SECRET_PREFIX}|{TOKEN_PREFIX}|{ACCESS_PREFIX})[A-Za-z0-9_-]+")


class OneLine(logging.Formatter):
    """`time level logger: message`, with line ends and control characters escaped."""

    def format(self, record: logging.LogRecord) -> str:
        return f"{_time(record)} {record.levelname.lower()} {record.name}: {_escaped(_message(record))}"


class JsonLine(logging.Formatter):
    """One JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
        }
        return json.dumps(entry, ensure_ascii=True)


def configure(formatter: logging.Formatter, level: str = "info") -> None:
    """Send everything from a level on to standard error; and the access log, which is asked for by itself."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    logging.getLogger(ACCESS).setLevel(logging.INFO)
    # It writes whole addresses, and those of webhooks may hold what opens something.
    logging.getLogger(_HTTP_CLIENT).setLevel(logging.DEBUG if level == "debug" else logging.WARNING)


def _message(record: logging.LogRecord) -> str:
    message = record.getMessage()
    if record.exc_info:
        message += " | " + logging.Formatter().formatException(record.exc_info)
    return _SECRET.sub(r"\1…", message)


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


def _escaped(text: str) -> str:
    r"""
    >>> _escaped("one\ntwo")
    'one\\ntwo'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
