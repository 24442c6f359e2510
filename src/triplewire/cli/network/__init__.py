"""`triplewire network …`: keys, a whole network on this machine, and what a super-peer knows.

demo       the introduction of Chirita et al., played: Bob wants the new publications of Nejdl and Koubarakis
group      `triplewire network …`: keys for networks of super-peers, a whole network on this machine, and what one
           knows
key        `triplewire network key`: make the key that a network's super-peers share
processes  super-peers as processes of their own, on loopback
show       `triplewire network show`: the cube, the indices and the poset, as one super-peer knows them
traffic    what was said between whom, from one moment to another
up         `triplewire network up`: a whole network of super-peers on this machine, each a process of its own
"""
