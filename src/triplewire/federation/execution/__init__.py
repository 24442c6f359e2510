"""Execution and transactions across super-peers (section 3.2).

abort_graph    one super-peer's part of the abort graph
aborting       what an abort takes along, and the compensation of what was done
conditions     conditions over the fragments of many sites, and what waits for the end of a transaction
coordinator    all of it for one super-peer: inputs in, effects out
effects        what happened, for whoever keeps a history
firing         the instances of a rule's actions, and where they are sent
journal        what was written and read at one peer: who depends on whom, and what an abort leaves
lanes          one peer's part of the local schedule: what is under way there, and what waits
messages       what super-peers say to each other about transactions
ordering       notes who has met whom at a peer, and shares it with those concerned
reports        what a peer tells, in its order; its own changes become units that are sealed
serialisation  the serialisation graph, shared by those who coordinate what is in it
state          what the parts of a coordinator share
units          transactions and subtransactions
update_phases  an update on a lane: execute, wait for rules, event queries, conditions, firings
"""
