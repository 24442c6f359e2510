"""`triplewire demo`: a library's node to look at, with nothing to prepare.

command     starts a node, fills it, and keeps it busy until Ctrl-C
happenings  what goes on in the library, one thing after the other; the same for the same seed
narrator    prints what is done, and what the node says about it
showcase    what the node is filled with: catalogue, subscriptions, views and rules, from files beside this
"""
