"""Subscriptions as they travel: the poset, forwarding, and which of them an event matches.

event_matching    matching of events against the subscriptions of a super-peer, whatever their origin
forwarding        which are sent upstream, over which attachment (algorithm 1, section 3.3)
partial_order     a partial order of keys, kept as its transitive reduction: each key knows its nearest above and
                  its nearest below
poset             the subscription poset (Chirita et al., section 3.3) and the matching of notifications by it
                  (algorithm 2)
query_index       an index of standing queries by their traits, so that few have to be compared
reasoner          what routing asks about queries, and the algebra's answers
sample_events     made from a query that is likely to match them; the caller verifies it
standing_queries  subscriptions as they are sent, and what is known of one without an event
traits            what an event must have for a query to match it, as far as the query's text shows it at once
"""
