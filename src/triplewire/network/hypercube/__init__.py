"""HyperCuP: members, places, neighbours, broadcasts, and who has failed.

broadcast          a message to every super-peer
cube               places, labels and neighbours, for every N, as arithmetic
failure_detection  a neighbour that does not answer is suspected, and failed if no other member reaches it
members            who is in the network, and in which place
membership         join, leave, be declared failed, and rejoin
"""
