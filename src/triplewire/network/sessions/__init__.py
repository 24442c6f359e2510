"""Peers that come and go (section 4 of Chirita et al.), at both ends of the connection.

access_point           what an access point does for its peers, as a state machine without I/O
access_point_messages  what access points say to each other about their peers
deadlines              what is due when, by key
envelopes              what goes over a connection between a peer and its access point, byte for byte
handshake              challenge and response both ways, as section 4.2 asks for
identity               identity of section 4.2 in today's primitives: a key pair names a peer, a secret
                       authenticates it
peer                   a peer's own program, as a state machine without I/O
peer_messages          what peers and their access points say to each other
"""
