"""`triplewire space …`: an event space on this machine, its tiling, and how it answers a query.

demo       a library's feed, played: publish, subscribe and query at different nodes, then kill one
drawing    the tiling as SVG
explain    `triplewire space explain`: what a query fetches, in which order, and which zones it touches
group      `triplewire space …`, its commands
leave      `triplewire space leave`: a node leaves its space for good
processes  nodes of a space as processes of their own, on loopback
show       `triplewire space show`: the tiling and the load of each zone, as a table and as a drawing
tiling     the tiling as a tree of splits, found again from the zones
up         `triplewire space up`: a whole event space on this machine, each node a process of its own
"""
