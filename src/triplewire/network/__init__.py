"""Who is my neighbour, and what do I send them: super-peers as pure state machines, without I/O.

    messages    what super-peers say to each other
    effects     what a super-peer wants done by the shell around it
    links       numbered, acknowledged, repeated: each message once and in order
    hypercube   HyperCuP: members, places, who represents whom, broadcasts
    routing     advertisement indices, subscription poset, algorithms 1 and 2
    sessions    peers that come and go: off-line, rendezvous, migration, identity
    superpeer   all of it composed: a message, a call or a tick in, effects out

Clock, randomness and what is on disk are handed in. The asyncio node and the simulator drive the same code.
"""
