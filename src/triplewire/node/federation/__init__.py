"""Rules across super-peers at a node: the machine of `triplewire.federation` on the event loop, with the disk below it.

answers        rules, transactions and privileges as clients see them
happenings     what has happened in the machine, for the log and for counters
host           takes inputs, and lets outputs out once their inputs are on the disk
input_log      the inputs and the snapshot of the machine in the store
living_site    the living graph as a peer of its super-peer's group, for the event loop
network_watch  the network as the machine is told of it
outcomes       what a schedule of the living graph means to rules across super-peers
participation  connects the host with other super-peers, the living graph and the peers of the group
rules_clock    the clock of the rules, which goes on over restarts
service        what a node does for its clients about rules of scope network
site_recorder  what the living graph does, recorded in the transactions that do it
site_requests  what a super-peer asks of the living graph, as its transactions
site_stream    what the living graph has told, as the store keeps it
"""
