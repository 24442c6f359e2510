"""Protocols of others, by which their clients talk to a node as they are.

addresses  where a node is, as its clients say it
ldes       Linked Data Event Streams: the log as pages that TREE's clients follow
"""
