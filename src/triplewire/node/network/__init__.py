"""The node in a network: what carries the pure super-peer's messages, keeps its memory and feeds it.

shell        the overlay: drives the super-peer, and does what it wants done
  joining    from settings to a plan
  telling    what is published and subscribed at this node
  accepting  events from the network are stored
  replaying  the log is read again for those who have recalled it
  remembering
             what survives a restart
  diagnosis  why nobody lets us in
  pulse      the time that a super-peer is told
  tally      what was sent and received
  showing    what a super-peer knows, for people
advertisements, deriving
             what clients will publish: as they say, or as they do
peers        the access point: drives the sessions of peers
  peers_socket, peers_watching, peers_keeping, peers_lanes, peers_records
             bytes, news, the store: in order where it matters, and what is kept
keys         the network's key, and the key pair that names a super-peer
transport    messages between super-peers over ZeroMQ with CURVE
  wire       messages as bytes
  zap        who is at the other end of a connection
  lines      connections that a super-peer dials
  addresses  where super-peers may be
  seldom     log lines that others can provoke
"""
