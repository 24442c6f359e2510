"""Advertisements: descriptions, the index that routes subscriptions by them, and its forwarding.

descriptions  everything that a peer advertises, as one unit that is sent
forwarding    the SP/P and SP/SP indices of a super-peer, and what is sent downstream of them
index         the advertisement index on three levels, and algorithm 1
registration  the message in RDF with which a peer registers what it will publish
"""
