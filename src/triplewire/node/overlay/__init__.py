"""The node as a super-peer: runs the state machine of `network.superpeer`, and connects it with the broker.

derived_advertisements  advertises clients that have advertised nothing, by what they publish
inbound_events          stores events from the network
local_changes           passes events and subscriptions of the node to the super-peer
log_replay              reads the log again for recalls of other super-peers
network_view            the network as the super-peer knows it, for people
overlay                 runs the super-peer, and does its effects
overlay_settings        the overlay's settings, from those of the node
rule_subscriptions      subscriptions of rules that listen to events
state_storage           saves the state of the super-peer
super_peer_clock        a monotonic clock that does not count suspensions
traffic_counters        counts messages and events
"""
