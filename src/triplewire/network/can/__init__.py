"""A content-addressable network over (graph, subject, predicate, object), without I/O (Pellegrino et al., section 3.1).

    claims       which of two owners is right, and what is left of a claim
    contents     the little that a node needs from its store
    coordinates  the order of terms, and arithmetic on byte strings in that order
    effects      effects, which the shell around a node does
    messages     messages between nodes, with a version of their own
    multicasts   the tree that gives each touched zone one parent, and multicasts under way
    neighbours   who owns the zones around ours, and who has been heard from
    node         zones, neighbours and multicasts put together
    ownership    join, leave, transfer, takeover, yield
    replication  replicas of what neighbours store
    routing      greedy routing to a point
    space        points, intervals, and boxes: zones and the bounds of patterns
    splits       where a zone is cut in two when a newcomer joins
    timings      intervals and timeouts
    transfers    zones on their way to another owner

Clock, randomness and what is stored are handed in. docs/event-space.md describes the whole.
"""
