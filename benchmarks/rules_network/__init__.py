"""`make bench-rules-network`: what rules cost across super-peers, beside sending everything to everybody.

workload   topics, of which each super-peer has one; a rule reads the next one and writes the one after
town       super-peers with a peer each on a bus: messages are counted, and the time of the machines
measuring  registrations and firings in towns of one size, with and without relevance
real       a cascade over three super-peers of eight real processes: HTTP in, notifications out
plans      how large a run is
tables     what a run says on the screen; drawing has the plots
"""
