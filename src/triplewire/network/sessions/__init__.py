"""Sessions of peers with access points (section 4 of Chirita et al.), at both ends.

access_point           what a super-peer does for its peers, as a state machine without I/O
access_point_messages  messages between access points
deadlines              deadlines by key
envelopes              the byte format of a connection between a peer and its access point
handshake              challenge and response both ways, as in section 4.2
identity               identity of section 4.2: a key pair names a peer, a secret authenticates it
peer                   a peer's own program, as a state machine without I/O
peer_messages          messages between peers and access points
rule_data              bodies about rules, in parts and whole again
"""
