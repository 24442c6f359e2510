"""HyperCuP: members, places, neighbours, broadcasts, failure detection.

broadcast          a message to every super-peer
cube               places, labels and neighbours, for every N, as arithmetic
failure_detection  suspects neighbours that do not answer, and declares members failed
members            the membership table, and the place of each member
membership         join, leave, be declared failed, and rejoin
"""
