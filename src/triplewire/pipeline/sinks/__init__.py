"""`df.write.format("triplewire")` and `df.writeStream.format("triplewire")`: rows into a lake, or to a node.

targets        which lake or node, by the options
written_rows   which rows are taken: events, read again and made canonical, or notifications
lake_writer    into a lake: a write is one commit, and so is each micro-batch of a stream
merging        what the lake has already is left out; another content of an event is a reject
node_writer    to a node, as events
"""
