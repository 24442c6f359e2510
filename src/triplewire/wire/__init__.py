"""What crosses the wire between a node and its clients, and must be spelled the same on both ends.

    eventstream   server-sent events: items to bytes, bytes to items
    networks      what a node tells of its network
    signatures    HMAC-SHA-256 over a webhook's body, its identity and its time

All are pure: bytes and values in, values and bytes out.
"""
