"""What `triplewire pipeline` does, as functions: each takes a session, a request and a listener for its progress.

matching               match: files in, a lake out
stream                 stream: the same for each micro-batch of what arrives, exactly once
history                backfill, a new subscription over the lake's history; replay, what would have fired
history_scope          which events of the history can matter, by their time and by what subscriptions require
profiling              what a source publishes, and the advertisements that say so
questions              what is asked of a lake's history: SPARQL, reports, shapes, rules
compaction             fewer, larger files; quads in lexicographic order
compaction_scope       what it has to look at: all of a table, or what is new and what that touches
retention              what goes from a lake, and when: vacuum, retain

subscription_loading   subscription files become a strategy with its index; bad entries become rejects
table_fill             the tables of one commit, from files or rows of events, by any strategy
event_rows             events that pass through Spark as rows
task_runner            tasks on Spark, watched, and cancelled by an interrupt
gauges                 how far a step of a run has come
run_records            what any run leaves: its row, and everything that it wrote as one commit
deduplication          which rows count where an event was published more than once
"""
