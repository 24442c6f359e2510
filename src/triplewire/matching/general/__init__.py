"""The general lane: all of SPARQL, evaluated on one event.

plan                 a query made ready, and its answer on an event
construct_templates  triples made from solutions
"""
