"""Peers that come and go (section 4 of Chirita et al.), at both ends of the connection.

identity, handshake, envelopes   who is who, and what is genuine
words, between                   what peers and access points say, and access points to each other
access_point                     what a super-peer does for its peers:
    presence                         they come, go and are forgotten
    standing, notifying, flows       subscriptions, advertisements, off-line notifications
    rendezvous, agreements           a resource whose owner is off-line
    migration                        a peer that is elsewhere now
effects, records                 what it wants done, and what is kept
peer                             a peer's own program:
    home, belongings                 what it remembers, and brings along
    switchboard, line, questions     its connections
"""
