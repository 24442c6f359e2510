"""SEPA's protocol, so that its clients work with a node unchanged.

session  what happens on one WebSocket: which subscriptions it has, and which frame comes next; no I/O
"""
