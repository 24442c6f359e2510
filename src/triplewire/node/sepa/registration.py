"""Who may register by SEPA's protocol, and under which credentials.

SEPA's clients register by themselves, with nothing but an identity that they are given, and many do it at each start.
So an identity is an invitation: a secret of the file that `--sepa-invitations` names. The same one always leads to the
same client with the same secret, which the node need not keep, as it is derived from the node's own key. Only an open
node takes any identity.
"""

from __future__ import annotations

import hmac

from msgspec import Struct

from triplewire.errors import Forbidden, InputError
from triplewire.node.access.identity import new_secret, public_identifier
from triplewire.node.access.invitations import Invitations
from triplewire.store.tables.identities import Client, Rights

_MOST_CHARACTERS = 1_000
_CONTEXT = b"triplewire sepa "


class Credentials(Struct, frozen=True):
    """A client, and its secret."""

    client: Client
    secret: str


class Registrar:
    """Says who may register. Nobody may without invitations, unless the node is open."""

    def __init__(self, node_key: bytes, invitations: Invitations | None, *, is_open: bool) -> None:
        self._node_key = node_key
        self._invitations = invitations
        self._is_open = is_open

    def credentials(self, identity: str | None) -> Credentials:
        """Those of an identity, or `Forbidden`."""
        if not identity or len(identity) > _MOST_CHARACTERS:
            raise InputError(wanted="a registration with a client_identity", found="none, or a very long one")
        if not self._is_open and (self._invitations is None or not self._invitations.invites(identity)):
            raise Forbidden(wanted="a client_identity that the node was told of", found="another")
        client_id = public_identifier(self._derived("client", identity))
        secret = new_secret(lambda _: self._derived("secret", identity))
        return Credentials(Client(client_id, "a client by SEPA's protocol", None, Rights()), secret)

    def _derived(self, what: str, identity: str) -> bytes:
        statement = _CONTEXT + what.encode() + b"\n" + identity.encode(errors="surrogatepass")
        return hmac.digest(self._node_key, statement, "sha256")
