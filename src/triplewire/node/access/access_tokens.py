"""Access tokens: for a short time, whoever holds one is a client of the node, where SEPA's protocol is spoken.

OAuth's client credentials: a client shows its identifier and secret once in a while, and the token otherwise.
"""

from __future__ import annotations

from triplewire.node.access.signed_tokens import SecretHash, SignedTokens
from triplewire.store.clock import Clock

PREFIX = "twa_"
_NONE = 0


class AccessTokens(SignedTokens):
    """Gives out tokens and knows them again."""

    def __init__(self, clock: Clock, seconds: float, secret_hash: SecretHash) -> None:
        super().__init__(clock, seconds, secret_hash, PREFIX, "an access token")

    def issue(self, client_id: str) -> str:
        """A token in a client's name."""
        return self.sign(client_id, _NONE)

    def client(self, token: str) -> str:
        """Whose token it is, or `Unauthenticated`."""
        return self.claim(token).client
