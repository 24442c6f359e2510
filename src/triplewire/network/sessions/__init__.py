"""Peers that come and go (section 4 of Chirita et al.), at both ends of the connection.

access_point           what an access point does for its peers, as a state machine without I/O
access_point_messages  messages between access points
deadlines              deadlines by key
envelopes              the byte format of a connection between a peer and its access point
handshake              challenge and response both ways, as in section 4.2
identity               identity of section 4.2 in today's primitives: a key pair names a peer, a secret
                       authenticates it
peer                   a peer's own program, as a state machine without I/O
peer_messages          messages between peers and access points
"""
