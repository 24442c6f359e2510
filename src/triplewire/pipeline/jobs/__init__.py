"""What `triplewire pipeline` does, as functions: each takes a session, a request and somebody to tell of its progress.

running        a run of tasks on Spark, watched
runs           what any run leaves: its row, and everything that it wrote as one commit
arriving       events that pass through Spark as rows
subscribing    subscription files become an index; bad entries become rejects
matching       match: files in, a lake out
stream         stream: the same for each micro-batch of what arrives, exactly once
backfill       a new subscription over the lake's history
replay         what would have fired, under other subscriptions or another taxonomy
profiling      what a source publishes, and the advertisements that say so
compacting     fewer, larger files; quads in lexicographic order
"""
