"""A peer's own program, as a state machine without I/O.

connection   one connection with an access point: the handshake, then envelopes
connections  the connections with all access points in use
effects      effects for the shell
peer         the state machine: composes the parts, and moves between access points
requests     open requests to an access point
saved_state  keys, access points, subscriptions and requests that survive a restart
state        subscriptions, advertisement and requests, and what of them the access point has confirmed
"""
