"""Subscriptions as they travel: the poset, forwarding, and which of them an event matches.

event_matching    which subscriptions of a super-peer an event matches, whoever they came from
forwarding        which subscriptions are sent up, over which attachment (algorithm 1, section 3.3)
partial_order     a partial order of keys, kept as its transitive reduction: each key knows its nearest above and
                  its nearest below
poset             the subscription poset (Chirita et al., section 3.3) and the matching of notifications by it
                  (algorithm 2)
query_index       standing queries filed so that few have to be looked at
reasoner          what routing asks of queries, and the algebra's answers
sample_events     events made from a query that it is likely to match
standing_queries  subscriptions as they travel, and what can be told of one without an event
traits            what an event must have for a query to match it, as far as the query's text shows it at once
"""
