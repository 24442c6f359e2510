"""Messages between super-peers over ZeroMQ with CURVE.

addresses         `tcp://HOST:PORT` and nothing else
backbone          messages between super-peers over ZeroMQ with CURVE
connections       the connections that a super-peer dials, one for each address
curve_router      a socket that others connect to, with CURVE: it knows by their keys who they are
keys              the network key, and the keys of each super-peer
message_codec     a version, then msgpack
rate_limited_log  log lines that somebody else can provoke: one a second for each reason, with how many there were
zap               who is at the other end: the ZAP handler of the backbone (ZeroMQ RFC 27)
"""
