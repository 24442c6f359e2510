"""What crosses the wire between a node and its clients, and must be spelled the same on both ends.

    eventstream   server-sent events: items to bytes, bytes to items
    signatures    HMAC-SHA-256 over a webhook's body, its identity and its time

Both are pure: bytes and values in, values and bytes out.
"""
