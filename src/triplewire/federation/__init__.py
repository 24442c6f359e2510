"""Rules across super-peers (Papamarkos et al., section 3), as state machines without I/O.

carrier       carries their messages over the network of super-peers
codec         these messages as bytes
delivery      each message between two super-peers once and in order, over links that end
effects       what they ask of the shell around them
execution     transactions: the local schedule, conditions over many sites, abort graph, serialisation graph
indexes       what a peer group has: annotated schemas, resource indexes, and whom each part of a rule concerns
inquiries     what super-peers ask each other to tell people: whom a rule concerns, what became of a transaction
messages      everything that super-peers say to each other about rules
overlay       what they need to know of the network: who is in it, and how a question reaches everybody once
policy        what each super-peer decides for itself: precedence scheme, what commutes, how deep a cascade may be
registration  global identifiers, replicas where they are relevant, growth, precedence
sites         a peer's repository, and what its super-peer asks of it; privileges
super_peer    all of it for one super-peer, put together
timings       intervals and timeouts

Several repositories, each with a schema of its own, are one graph to a rule. Clock and randomness are handed in.
"""
