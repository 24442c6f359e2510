"""What a super-peer and its peers say to each other, as bytes: for sessions, and for the log of inputs.

changes     terms, triples, lookups, changes and privileges, as text and numbers
messages    requests to a peer, what a peer tells, and what it has: to bytes and back
peer        what a peer tells, as text and numbers
request     what a peer is asked, as text and numbers
statements  actions and events as the text of a rule
view        all that a peer has when it joins, as text and numbers

Whoever is at the other end may be hostile: what is malformed raises `MessageRefused`, before anybody acts on it.
"""

from __future__ import annotations

from triplewire.federation.sites.codec.messages import (
    decode_from_peer,
    decode_from_super_peer,
    decode_view,
    encode_from_peer,
    encode_from_super_peer,
    encode_view,
)

__all__ = [
    "decode_from_peer",
    "decode_from_super_peer",
    "decode_view",
    "encode_from_peer",
    "encode_from_super_peer",
    "encode_view",
]
