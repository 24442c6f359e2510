"""What a rule waits for, reads and writes, as sets of schema triples (section 2.4).

actions      what an action queries, what else decides its effect, and what it writes
arcs         which extents a triple of an event or an action matches (section 2.4: triples(t, S))
definitions  the sets that section 2.4 defines for a path and for a triple, by their own names
events       what an event waits for, what it evaluates to see whether a change is meant, and what `$delta` is
             then
extents      what rules read and write, as sets of schema nodes and schema triples
footprint    everything that the analysis has to know of a rule
paths        what a path expression leads to and what it reads, by the schema alone (section 2.4: nodes and
             triplesQueried)
writes       the ways in which extents are written, and which kinds of event they make happen
"""
