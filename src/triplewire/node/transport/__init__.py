"""Messages between super-peers over ZeroMQ with CURVE.

addresses         `tcp://HOST:PORT`, validated
backbone          sends and receives packets
connections       outgoing connections, one for each address
curve_router      the listening socket with CURVE, which identifies senders by their keys
keys              the network key, and the keys of each super-peer
message_codec     packets as bytes: a version, then msgpack
rate_limited_log  a logger for lines that others can cause: one a second for each reason
zap               the ZAP handler (ZeroMQ RFC 27), which identifies connections by their key
"""
