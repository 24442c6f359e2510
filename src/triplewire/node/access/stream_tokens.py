"""Stream tokens: for a short time, whoever holds one may open the stream of one subscription.

A browser's EventSource and WebSocket cannot send a secret, and a secret in an address would be kept by whoever keeps
addresses. So a page asks for a token with its secret, and opens the stream with that (rows A12, A15).
"""

from __future__ import annotations

from triplewire.node.access.signed_tokens import SecretHash, SignedTokens
from triplewire.store.clock import Clock

PREFIX = "twt_"


class StreamTokens(SignedTokens):
    """Gives out tokens and knows them again."""

    def __init__(self, clock: Clock, seconds: float, secret_hash: SecretHash) -> None:
        super().__init__(clock, seconds, secret_hash, PREFIX, "a stream token")

    def issue(self, client_id: str, subscription: int) -> str:
        """A token for the stream of a subscription, in a client's name."""
        return self.sign(client_id, subscription)
