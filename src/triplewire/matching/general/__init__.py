"""The general lane: all of SPARQL, evaluated by Oxigraph on one event.

plan                 from syntax tree to text for Oxigraph, and from its solutions to an answer
zero_length_paths    rewrites paths from a term that the event lacks
standard_semantics   rewrites what Oxigraph reads in another way than SPARQL 1.1 says
alternative_paths    rewrites `a|b` as a UNION, so that every way to an end counts
rewriting            rewrites a query for a dataset of opaque terms
opaque_terms         how a term that Oxigraph's store would change passes through it unharmed
functions            functions and aggregates that Oxigraph calls back
datasets             an event in an Oxigraph store, and the interface of evaluators
isolated_evaluator   an evaluator in a process of its own, which stays and may crash
worker               one evaluation in a process of its own, which can be ended in the middle of its work
work_bound           how many intermediate bindings a query may make on an event, at most
long_durations       durations that take Oxigraph long, as part of that bound
construct_templates  triples made from solutions
"""
