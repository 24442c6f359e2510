"""The matcher's inner loops: numba, flat arrays, no Python objects.

    machine     how a kernel is compiled and kept, and the few machine instructions that Python has no word for
    carried_code  machine code that another process has compiled, perhaps on another host
    structures  the bundles of arrays that kernels take: a batch of events, a segment, a workspace
    columns     the columns of the scanner's tables, and the codes that stand in them
    layout      how a compiled core lies in memory: one run of 32-bit words
    bytetable   byte strings to small integers: open addressing, linear probing
    hashing     a 64-bit hash of a term's bytes, and equality of two spans
    lineage     the taxonomy: sorted lists of ancestors, and the event's own rdf:type triples on top
    likelihood  how likely an event has a part
    scan        from N-Quads bytes to rows, values and events
    index       from compiled subscriptions to an index
    search      from an event to its matches

Every kernel is an ordinary Python function as well: with NUMBA_DISABLE_JIT=1 the same lines run interpreted.
"""
