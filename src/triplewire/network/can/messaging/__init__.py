"""Messages to points, to boxes and to nodes, repeated until they are receipted.

incoming     messages that have arrived, until the consumer is done with them
messenger    sends, forwards, hands out and receipts
multicasts   the tree that gives each touched zone one parent
outgoing     our own messages until they are receipted, the durable ones in the journal
owners       who owns what beyond the neighbours
round_trips  how long receipts take at present
routing      greedy routing to a point
"""
