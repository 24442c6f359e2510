"""The general lane: all of SPARQL, evaluated by Oxigraph on one event.

alternative_paths    alternative paths as the standard reads them: `a|b` is a UNION, so every way to an end counts
                     (18.2.2.4)
construct_templates  triples made from solutions
datasets             the dataset of an event in an Oxigraph store: its triples as the default graph, and under the
                     event's IRI
functions            the functions and aggregates that Oxigraph calls back: the taxonomy's, and those that a
                     rewritten query calls
isolated_evaluator   the general lane in a process of its own, which stays: what crashes there costs that process,
                     not its parent
long_durations       it adds them to a date month by month, whenever it orders or subtracts one
opaque_terms         how a term that Oxigraph's store would rewrite passes through it unharmed
plan                 whatever SPARQL can say, evaluated by Oxigraph on one event
rewriting            rewrite a query for a dataset of opaque terms, so that literals keep their identity
standard_semantics   where Oxigraph departs from SPARQL 1.1, a query is rewritten to say the same in a way that it
                     gets right
work_bound           how much work could a query make on this event? An upper bound, before anything is evaluated
worker               evaluate one query in a process of its own, which can be ended in the middle of its work
zero_length_paths    zero-length paths from a term that the event lacks
"""
