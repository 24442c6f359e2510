"""The matcher's inner loops: numba, flat arrays, no Python objects.

    bytetable   byte strings to small integers, in flat arrays: open addressing, linear probing
    columns     the columns of the scanner's two tables of 64-bit integers, and the codes that stand in them
    hashing     a 64-bit hash of a term's bytes, and equality of two spans
    index       from compiled subscriptions to an index: anchors, keys, texts and intervals
    layout      how a compiled core lies in memory: one run of 32-bit words, so that equal cores are equal bytes
    likelihood  how likely an event has a part: by the events that were seen, else by what subscriptions ask for
    lineage     sorted lists of ancestors, and the event's own rdf:type triples on top
    machine     how a kernel is compiled, and the few machine instructions that Python has no word for
    scan        from N-Quads bytes to rows, values and events
    search      from an event to its matches: keys, candidates, joins and conditions
    structures  the bundles of arrays that kernels take: a batch of events, a segment of subscriptions, and room to
                work in

Every kernel is an ordinary Python function as well: with NUMBA_DISABLE_JIT=1 the same lines run interpreted.
"""
