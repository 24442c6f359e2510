"""The node as an access point: sessions of peers that come and go.

invitations     secrets that let new peers register, one a line of a file; whoever has none is not let in
outbox_watches  for peers that are on-line, a task for each subscription waits until there is something new for it
peer_socket     the socket of an access point's peers: ZeroMQ with CURVE, guarded by the super-peer's own key
records         what only sessions know of a peer, in the node's folder: itself, rendezvous, and where it has
                moved
serial_tasks    what concerns one thing is done in order, one after the other; different things at the same time
service         a node as an access point
storage         what an access point wants done in the store, done with the broker and the node's folder
"""
