"""Registration (section 3.1): a rule gets a global identifier, and a replica wherever an event may trigger it.

growth      asks the network for the rules that a grown schema needs, neighbour by neighbour
messages    what super-peers say to each other about rules
precedence  in which order rules of several super-peers act: what is declared, then a local scheme
records     a registered rule as it travels
registrar   registers, unregisters, keeps replicas, and repairs what a partition has left behind
rule_base   the replicas of one super-peer: which sleep, and which a change may trigger
"""
