"""A peer's own program, as a state machine without I/O.

connection   one connection of a peer with an access point, at the peer's end: the handshake, then envelopes
connections  one to each access point that it has to do with
effects      what a peer's program wants done by the shell around it, in this order
memory       what a peer's own program remembers: who it is, where it is, and what it has standing
peer         a peer's own program, as a state machine: it keeps in touch with its access point, and moves to
             another
requests     what a peer asked of an access point
state        what a peer has standing wherever it is: subscriptions, an advertisement, rendezvous that it waits
             for
"""
