"""Who is my neighbour, and what do I send them: super-peers as pure state machines, without I/O.

    effects     what a super-peer asks of the shell around it
    hypercube   members, places, neighbours, broadcasts, and who has failed
    link        a link to one other super-peer: each message once and in order, or both ends learn that something was
                lost
    link_table  messages to members become frames to their addresses
    memory      the saved state of a super-peer: what survives a restart
    messages    messages between super-peers
    routing     where a subscription has to go, and where an event has to go (Chirita et al., section 3)
    sessions    peers that come and go (section 4 of Chirita et al.), at both ends of the connection
    superpeer   the cube, the links and the router put together, without I/O
    timings     intervals and timeouts of a super-peer, in seconds

Clock, randomness and what is on disk are handed in. The asyncio node and the simulator drive the same code.
"""
