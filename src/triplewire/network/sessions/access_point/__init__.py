"""What an access point does for its peers, as a state machine without I/O.

access_point      the state machine: composes the parts below, and dispatches messages to them
agreements        rendezvous at the owner's access point: pending uploads, and the location of a peer
effects           effects, and their outcomes
flow_control      how many notifications are in flight to a peer, and when to read more
migration         draining and forgetting peers that have moved
notifications     sending notifications from the outbox, a window at a time
pending_requests  requests that wait for the answer of another access point
presence          registration, sessions and absence of peers
records           records that are saved on disk, and settings
registrations     subscriptions, advertisements and events of peers
rendezvous        rendezvous at the requester's access point: requests, and the rendezvous directory
state             the state that the parts share
"""
