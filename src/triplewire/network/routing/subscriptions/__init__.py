"""Subscriptions: standing queries, their poset, their forwarding, and the matching of events.

event_matching    matching of events against the subscriptions of a super-peer
forwarding        which subscriptions are sent upstream, over which attachment (algorithm 1)
partial_order     a partial order of keys, kept as its transitive reduction
poset             the subscription poset with origins, and algorithm 2
reasoner          implies, covers and matches, as the algebra answers them
sample_events     events that a query is likely to match
standing_queries  subscriptions as they are sent, parsed and validated
trait_index       standing queries by their traits
traits            what an event must have for a query to match it
"""
