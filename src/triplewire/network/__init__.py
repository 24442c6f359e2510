"""Super-peers and members of event spaces as state machines, without I/O.

    can          a space of quadruples that nodes share by zones
    effects      effects, which the shell around a super-peer does
    eventspace   publish and subscribe in that space
    hypercube    HyperCuP: members, places, neighbours, broadcasts, failure detection
    link         a link to one other super-peer: each message once and in order
    link_table   the links of a super-peer: messages to members become frames
    messages     messages between super-peers
    queries      SPARQL over all that lies in that space
    routing      routing of advertisements, subscriptions and events (Chirita et al., section 3)
    saved_state  the state of a super-peer that survives a restart
    sessions     sessions of peers with access points (Chirita et al., section 4)
    superpeer    the cube, the links and the router put together
    timings      intervals and timeouts

Clock, randomness and what is on disk are handed in. The node and the simulator run the same code.
"""
