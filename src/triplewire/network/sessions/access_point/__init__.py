"""What an access point does for its peers, as a state machine without I/O.

access_point      what a super-peer does for its peers, as one state machine
agreements        Rendezvous at the owner's access point: what others want of a peer, until it uploads it; and
                  where a peer is
effects           what an access point wants done, and how it is told of the outcome
flow_control      how much of a subscription is on its way to a peer, and when to read on
migration         a peer that is at another access point now takes with it what is pending here
notifications     when the notifications of a peer are read from the outbox and sent: while it is on-line, a
                  window at a time
pending_requests  what a peer asked of another access point, and waits for
presence          peers come and go
records           what an access point knows of its peers
registrations     what a peer has standing at its access point: subscriptions, and an advertisement that it
                  repeats; and publishing
rendezvous        Rendezvous at the requester's access point: what its peers wished for, and the rendezvous
                  directory
state             what the parts of an access point share: who the peers are, what waits for the store, what is
                  due
"""
