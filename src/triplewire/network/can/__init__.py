"""A content-addressable network over (graph, subject, predicate, object), without I/O (Pellegrino et al., section 3.1).

    coordinates  the order of terms, and arithmetic on byte strings in that order
    space        points, intervals, and boxes: zones and the bounds of patterns
    splits       where a zone is cut in two when a newcomer joins

Clock, randomness and what is stored are handed in. docs/event-space.md describes the whole.
"""
