"""Rules across super-peers (Papamarkos et al., section 3), as state machines without I/O.

codec         messages between super-peers as bytes
delivery      each message between two super-peers once and in order, over links that end
effects       messages that are to be sent, to one or to all
execution     transactions: the local schedule, conditions over many sites, abort graph, serialisation graph
indexes       what a peer group has: annotated schemas, resource indexes, and whom each part of a rule concerns
inputs        all that a machine takes: from the network, from peers, from callers
inquiries     what super-peers ask each other to tell people: whom a rule concerns, what became of a transaction
machine       rules and their delivery as one deterministic machine
messages      everything that super-peers say to each other about rules
outputs       what a machine gives its shell to send and to say
overlay       what they need to know of the network: who is in it, and how a question reaches everybody once
policy        what each super-peer decides for itself: precedence scheme, what commutes, how deep a cascade may be
registration  global identifiers, replicas where they are relevant, growth, precedence
sites         a peer's repository, and what its super-peer asks of it; privileges
snapshots     the state of a machine as bytes, and back
super_peer    all of it for one super-peer, put together
timings       intervals and timeouts

Several repositories, each with a schema of its own, are one graph to a rule. Clock and randomness are handed in.
"""
