"""An access point: what a super-peer does for its peers, as a state machine without I/O.

access_point          the state machine: composes the parts below, and dispatches messages to them
effects               effects, and their outcomes
flow_control          how many notifications are in flight to a peer, and when to read more
migration             draining and forgetting peers that have moved
notifications         sending notifications from the outbox, a window at a time
owner_rendezvous      rendezvous at the owner's access point: pending uploads, and the location of a peer
pending_requests      requests that wait for the answer of another access point
presence              registration, sessions and absence of peers
publish_subscribe     subscriptions, advertisements and events of peers
records               records that are saved on disk, and settings
requester_rendezvous  rendezvous at the requester's access point: requests, and the rendezvous directory
rules                 bodies and requests about rules, which the shell understands
state                 the state that the parts share
"""
