"""The node as an access point: sessions of peers that come and go.

outbox_watches  wake-ups for new notifications of peers that are on-line
peer_socket     the socket for peers: ZeroMQ with CURVE
records         records of sessions in the store
rules           what peers with repositories say to the node's federation, and it to them
serial_tasks    queues of tasks: in order within a queue, concurrent between them
service         runs the state machine of `network.sessions.access_point`, and does its effects
storage         effects on the broker and the store
"""
