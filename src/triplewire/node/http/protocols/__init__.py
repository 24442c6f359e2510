"""Protocols of others, by which their clients talk to a node as they are.

addresses  where a node is, as its clients say it
ldes       Linked Data Event Streams: the log as pages that TREE's clients follow
solid      Solid's notifications over subscriptions
topics     what others' protocols call a subscription, by the address of its notifications
websub     a WebSub hub over subscriptions
"""
