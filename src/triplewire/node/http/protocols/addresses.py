"""Where a node is, as its clients say it: documents that name their own parts need it."""

from __future__ import annotations

from starlette.requests import HTTPConnection

from triplewire.errors import InputError
from triplewire.node.http.authentication import node_of
from triplewire.rdf.terms import NamedNode

_SCHEMES = {"ws": "http", "wss": "https"}


def base_url(connection: HTTPConnection) -> str:
    """The node's address without a slash at its end: `--public-url`, or else as this request has called it."""
    given = node_of(connection).settings.public_url
    if given is not None:
        return given.rstrip("/")
    url = connection.url
    found = f"{_SCHEMES.get(url.scheme, url.scheme)}://{connection.headers.get('host', '')}"
    try:
        NamedNode(f"{found}/")
    except ValueError as error:
        raise InputError(wanted="a Host header that makes an IRI", found=f"{found!r}: {error}") from None
    return found
