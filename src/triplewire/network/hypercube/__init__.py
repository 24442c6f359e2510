"""HyperCuP: members, places, neighbours, broadcasts, and who has failed.

broadcast          a word to every super-peer
cube               places, labels and neighbours, for every N, as arithmetic
failure_detection  who does not answer is suspected, and given up if nobody else hears it either
members            who is in the network, and in which place
membership         join, leave, be thrown out, and come back
"""
