"""`triplewire peer …`: a peer of the network, with a home folder of its own.

commands       each command comes on-line, does one thing, and goes; `listen` stays
group          the commands of `triplewire peer`, with an example each
home           the options before the command: which peer it is, and where its access point is
network_rules  rules and transactions of the network, as a peer of it
repository     the repository in the home: schema, load, update, graph
"""
