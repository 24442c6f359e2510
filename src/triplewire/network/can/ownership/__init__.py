"""Who owns which zone, and who keeps a replica of it.

balance         who stores next to nothing moves to where most is stored
claims          which of two owners is right, and what is left of a claim
deposits        what is stored here and belongs to others, on its way to them
giving          zones on their way to another owner, until it has acknowledged them
heartbeats      who is alive, who owns what, and disputes
joins           newcomers: asking for a zone, being led, being given one; leaving
kept_replicas   the replicas that we keep for others
neighbours      the records of members, who adjoins us, who has been heard from
ownership       all of it put together
parts           numbered parts of a replica or a transfer, and their acknowledgements
replica_sender  the replica of what we store, on its way to a neighbour
state           what the parts of an ownership share: claims, record, orphans
takeovers       zones of the failed, and holes
taking          zones that another owner gives us
"""
