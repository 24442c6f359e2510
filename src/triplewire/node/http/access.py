"""Who asks: the client behind a request, before anything else of it is looked at."""

from __future__ import annotations

from typing import Any

from starlette.requests import HTTPConnection

from triplewire.errors import Forbidden, Unauthenticated
from triplewire.node.delivery.origins import is_same_origin
from triplewire.node.service import Node
from triplewire.store.identities import Client

BEARER: dict[str, Any] = {"security": [{"bearer": []}]}
_SCHEME = "bearer "


def node_of(request: HTTPConnection) -> Node:
    """The node that the application serves."""
    node: Node = request.app.state.node
    return node


def client_of(request: HTTPConnection) -> Client:
    """The client, or `Unauthenticated`."""
    # Where no secret is asked for, a page from elsewhere could act through its visitor's browser.
    origin, host = request.headers.get("origin"), request.headers.get("host")
    if node_of(request).settings.open and not is_same_origin(origin, host):
        raise Forbidden("wanted a request of a program, or of a page of this node, found one of a page from elsewhere")
    header = request.headers.get("authorization")
    if header is not None and not header.lower().startswith(_SCHEME):
        raise Unauthenticated("wanted a bearer secret, found another kind of authorization")
    return node_of(request).client(None if header is None else header[len(_SCHEME) :].strip())


def admin_of(request: HTTPConnection) -> Client:
    """The client, if it is an administrator, or `Forbidden`."""
    client = client_of(request)
    if not client.rights.is_admin:
        raise Forbidden("wanted an administrator, found a client that is none")
    return client
