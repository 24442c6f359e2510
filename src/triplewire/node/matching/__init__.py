"""Matching on a node: live subscriptions, those that still catch up, and answers as JSON.

answers        what a subscription said about an event, as the JSON that waits in the outbox and goes out to its
               owner
catch_up       subscriptions that are not live read the log until they are, each in a matcher of its own
catch_up_step  catching up, as one step inside a transaction: a subscription reads the log from its frontier, a
               chunk at a time
event_parsing  N-Quads that the matcher's scanner understands become events without an object a term
live_matchers  every live subscription in a matcher, one matcher for each grant under which somebody reads
trials         a query over events that are in the log already: which match, and what came closest
snapshots      what was compiled for matching is kept, so that a start need not do it again
"""
