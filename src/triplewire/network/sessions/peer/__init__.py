"""A peer's own program, as a state machine without I/O.

connection   one connection with an access point: the handshake, then envelopes
connections  the connections with all access points in use
effects      effects for the shell
memory       the saved state: keys, access points, subscriptions, requests
peer         the state machine: composes the parts, and moves between access points
requests     open requests to an access point
state        subscriptions, advertisement and requests, and what of them the access point has confirmed
"""
