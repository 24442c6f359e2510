"""Commands for rules across super-peers: those with `--scope network`, and those that only a network has.

names         long identifiers cut to what tells them apart
privileges    `triplewire privileges`: what other super-peers may do with the data of this one's group: get, put
relevance     `triplewire rules relevant`: which super-peers and peers a rule concerns, and why
rules         `triplewire rules put`, `get`, `list` and `delete` with `--scope network`
schema        `triplewire schema get --scope network`: the merged schema, with who has data of what
scope         whether a command means a node or its network
tree          a transaction across super-peers as a tree, and its abort graph, in words, in DOT and as SVG
transactions  `triplewire update --scope network`, `withdraw` and `rules trace` of a transaction of the network
"""
