"""The node in a network: what carries the pure super-peer's messages, keeps its memory and feeds it.

keys         the network's key, and the key pair that names a super-peer
transport    messages between super-peers over ZeroMQ with CURVE
  wire       messages as bytes
  zap        who is at the other end of a connection
  lines      connections that a super-peer dials
  addresses  where super-peers may be
  seldom     log lines that others can provoke
"""
