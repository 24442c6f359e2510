"""`make bench-rules`: what rules cost an update, how fast cascades are, and how long the analysis takes.

workload   a schema, a repository of items, rules and updates of any number
durable    a rule store with its repository and rules on the disk
measures   the measurements; __main__ runs them, and says what was asked and what was found
"""
