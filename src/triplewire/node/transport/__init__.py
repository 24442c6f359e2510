"""Messages between super-peers, and between the nodes of a space, over ZeroMQ with CURVE.

addresses         `tcp://HOST:PORT`, validated
backbone          packets between super-peers
connections       outgoing connections, one for each address
curve_router      the listening socket with CURVE, which identifies senders by their keys
frames            bytes between members, whatever they mean
join_diagnosis    why a join failed
keys              the network key, and the keys of each super-peer
message_codec     packets as bytes: a version, then msgpack
rate_limited_log  a logger for lines that others can cause: one a second for each reason
zap               the ZAP handler (ZeroMQ RFC 27), which identifies connections by their key
"""
