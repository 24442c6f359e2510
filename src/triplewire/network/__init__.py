"""Who is my neighbour, and what do I send them: super-peers as pure state machines, without I/O.

    effects     the shell around it does it
    hypercube   members, places, neighbours, broadcasts, and who has failed
    link        a link to one other super-peer: each message once and in order, or both ends learn that something was
                lost
    link_table  what is to be said to a member becomes frames to its address
    memory      what of a super-peer survives a restart
    messages    what super-peers say to each other
    routing     where a subscription has to go, and where an event has to go (Chirita et al., section 3)
    sessions    peers that come and go (section 4 of Chirita et al.), at both ends of the connection
    superpeer   the cube, the links and the router put together, without I/O
    timings     how long a super-peer waits for what, in seconds

Clock, randomness and what is on disk are handed in. The asyncio node and the simulator drive the same code.
"""
