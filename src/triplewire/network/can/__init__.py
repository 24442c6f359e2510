"""A content-addressable network over (graph, subject, predicate, object), without I/O (Pellegrino et al., section 3.1).

    contents   the little that a node needs from its store
    effects    effects, which the shell around a node does
    geometry   the order of terms, points, boxes, splits
    journal    what a node must find again after a restart
    message_boxes  the boxes of messages, none of which may be without points
    messages   messages between nodes, with a version of their own
    messaging  greedy routing, and multicasts
    node       zones, neighbours and multicasts put together
    ownership  join, leave, transfer, takeover, replicas
    timings    intervals and timeouts

Clock, randomness and what is stored are handed in. docs/event-space.md describes the whole.
"""
