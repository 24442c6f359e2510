"""From subscriptions as rows to an index: only what changed is compiled, and much of it in Spark's tasks.

rows       subscription files and tables as columns, not parsed
tables     which files of a Delta table count
compiling  rows become parts of an index, here or in tasks, and what cannot be subscribed becomes rejects
building   the index of some rows, from the one that is nearest to it
"""
