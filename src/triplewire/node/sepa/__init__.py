"""SEPA's protocol, so that its clients work with a node unchanged.

answers       what a view says, and what a query is answered, in SEPA's words: solutions
backlog       what waits to be sent to one client, in order, and how much that is
registration  who may register by SEPA's protocol, and under which credentials
session       what happens on one WebSocket: which subscriptions it has, and which frame comes next; no I/O
socket        one WebSocket over the views of a node: a thin shell around a session
"""
