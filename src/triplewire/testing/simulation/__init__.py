"""Whole networks on a virtual clock, with faults, repeatable from a seed. Both overlays run on it.

checking        a violation of a rule, and how it is shown
eventspace      nodes of an event space: world, workload, checker, runs
fault_injector  faults at random moments
faults          the fault model of links
federation      super-peers with rules, and peers with repositories: world, workload, checker, runs
history         the records that all histories have, and the history
network         delivers and traces messages, and injects faults
process         a process that starts, crashes and stalls, with a clock and a disk
superpeers      super-peers and their peers: world, workload, checker, runs
timeline        virtual time
trace           counts and digest of a run, and its last messages
world           virtual time, network and processes put together
"""
