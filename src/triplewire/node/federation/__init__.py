"""Rules across super-peers at a node.

service  what a node does for its clients about rules of scope network
"""
