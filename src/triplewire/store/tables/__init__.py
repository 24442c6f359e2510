"""The tables, one module each: functions from a connection to rows.

advertisements    what clients have advertised that they will publish
dead_letters      notifications that could not be delivered after every try, kept with the reason until sent again
federation        what a super-peer keeps of rules across super-peers: its inputs, what its graph has told
idempotency_keys  what was answered to a request, so that sending it again changes nothing
identities        who a client is, what it may do and how much of it
living_graph      the quads that are asserted, and a journal of what changed
log               append-only, one record an event, positions without holes
metadata          the few single values that must survive, by name
outbox            notifications on their way, by subscription and position
peers             what an access point keeps of its peers: records of several kinds, each under a peer and a key
registry          who subscribed to what, and how far each subscription has come
rule_records      the rules that are registered, as their text; and what each has done
traces            traces of schedules: for each of their transactions, what it did and what rules did in it
views             when a view was last evaluated, and what it has not said yet
"""
