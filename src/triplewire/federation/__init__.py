"""Rules across super-peers (Papamarkos et al., section 3), as state machines without I/O.

indexes  what a peer group has: annotated schemas, resource indexes, and whom each part of a rule concerns

Several repositories, each with a schema of its own, are one graph to a rule. Clock and randomness are handed in.
"""
