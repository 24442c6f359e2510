"""The node as a super-peer: runs the state machine of `network.superpeer`, and connects it with the broker.

derived_advertisements  advertises clients that have advertised nothing, by what they publish
inbound_events          stores events from the network
join_diagnosis          why a join failed
join_plan               the overlay's settings, from those of the node
local_changes           passes events and subscriptions of the node to the super-peer
log_replay              reads the log again for recalls of other super-peers
memory_storage          saves the state of the super-peer
network_view            the network as the super-peer knows it, for people
overlay                 runs the super-peer, and does its effects
rule_subscriptions      subscriptions of rules that listen to events
super_peer_clock        a monotonic clock that does not count suspensions
traffic_counters        counts messages and events
"""
