"""The node as a super-peer: drives the pure state machine, stores its memory and feeds it.

derived_advertisements  a client that publishes and has advertised nothing is advertised by what it publishes
inbound_events          events from the network are stored, in the order in which they came, and notified like any
                        others
join_diagnosis          why nobody at an address lets us in, as far as one can see from outside
join_plan               how the node is to be in a network, if it is
local_changes           a super-peer is told of what happens at its own node, on the event loop and in order
log_replay              what was published here is read again from the log, for those who have recalled it
memory_storage          what of a super-peer survives, in the node's folder
network_view            what a super-peer knows, for people: the cube, the indices as the paper's Table 1 has
                        them, the poset, and counts
overlay                 a node as a super-peer
rule_subscriptions      rules that listen to events stand in the network like subscriptions of their node
super_peer_clock        the time that a super-peer is told
traffic_counters        what a super-peer has sent and received, by kind of message and by whom; and what became
                        of events
"""
