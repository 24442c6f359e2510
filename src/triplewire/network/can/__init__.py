"""A content-addressable network over (graph, subject, predicate, object), without I/O (Pellegrino et al., section 3.1).

    contents        the little that a node needs from its store
    coordinates     the order of terms, and arithmetic on byte strings in that order
    effects         effects, which the shell around a node does
    messages        messages between nodes, with a version of their own
    multicast_tree  one parent for each zone that a pattern touches
    routing         greedy routing to a point
    space           points, intervals, and boxes: zones and the bounds of patterns
    splits          where a zone is cut in two when a newcomer joins
    timings         intervals and timeouts

Clock, randomness and what is stored are handed in. docs/event-space.md describes the whole.
"""
