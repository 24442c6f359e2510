"""Who asks: the client behind a request, before anything else of it is looked at."""

from __future__ import annotations

from starlette.requests import HTTPConnection

from triplewire.errors import Forbidden, Unauthenticated
from triplewire.node.access.origins import is_welcome
from triplewire.node.service import Node
from triplewire.store.tables.identities import Client
from triplewire.store.tables.registry import SubscriptionRecord

_SCHEME = "bearer "
VIEWS = "/views/"
# Where a request's scope has the client's identifier, once it is known.
CLIENT_ID = "triplewire.client"


def node_of(request: HTTPConnection) -> Node:
    """The node that the application serves."""
    node: Node = request.app.state.node
    return node


def client_of(request: HTTPConnection) -> Client:
    """The client, or `Unauthenticated`."""
    require_welcome_if_open(request)
    return _noted(request, node_of(request).client(bearer_of(request)))


def holder_of(request: HTTPConnection) -> Client:
    """The same where SEPA's protocol is spoken: an access token is as good as a secret there."""
    require_welcome_if_open(request)
    return _noted(request, node_of(request).holder(bearer_of(request)))


def _noted(request: HTTPConnection, client: Client) -> Client:
    """The client, whose name the access log and traces have from here."""
    request.scope[CLIENT_ID] = client.id
    return client


def bearer_of(connection: HTTPConnection) -> str | None:
    """The secret or token that a client shows, if it shows anything."""
    header = connection.headers.get("authorization")
    if header is not None and not header.lower().startswith(_SCHEME):
        raise Unauthenticated(wanted="a bearer secret", found="another kind of authorization")
    return None if header is None else header[len(_SCHEME) :].strip()


def admin_of(request: HTTPConnection) -> Client:
    """The client, if it is an administrator, or `Forbidden`."""
    client = client_of(request)
    if not client.rights.is_admin:
        raise Forbidden(wanted="an administrator", found="a client that is none")
    return client


def named_by(connection: HTTPConnection, owner: str, name: str) -> SubscriptionRecord:
    """The subscription, or the view, that a path names."""
    broker = node_of(connection).broker
    if connection.scope["path"].startswith(VIEWS):
        return broker.views.require(owner, name)
    return broker.subscriptions.require(owner, name)


def stream_of(connection: HTTPConnection, name: str) -> SubscriptionRecord:
    """The subscription or view whose stream is opened, by its owner or with a token for it."""
    if connection.scope["type"] == "websocket":
        # A browser lets every page open one, so the node has to ask where it comes from.
        require_welcome(connection)
    node, token = node_of(connection), connection.query_params.get("token")
    if token is None or "authorization" in connection.headers:
        return named_by(connection, client_of(connection).id, name)
    claim = node.tokens.claim(token)
    record = node.broker.subscriptions.index.get(claim.subscription)
    if record is None or (record.owner, record.name) != (claim.client, name):
        raise Unauthenticated(wanted="a token for this subscription", found="one for another")
    return record


def require_welcome_if_open(connection: HTTPConnection) -> None:
    """The same at an open node.

    Where no secret is asked for, a page from elsewhere could act through its visitor's browser.
    """
    if node_of(connection).settings.open:
        require_welcome(connection)


def require_welcome(connection: HTTPConnection) -> None:
    """Raise `Forbidden` for a page that comes from elsewhere."""
    origin, host = connection.headers.get("origin"), connection.headers.get("host")
    if not is_welcome(origin, host, node_of(connection).settings.origins):
        raise Forbidden(
            wanted="a program, a page of this node, or one of an origin that --allow-origin names",
            found="a page from elsewhere",
        )
