"""A peer's repository, and what its super-peer asks of it (section 3.2).

codec       requests and answers as bytes
detection   event queries over a change, on the state right after it, whatever has happened since
matching    answers sub-queries
planning    what an action comes to at a site, under privileges and with what other sites describe
privileges  who outside the peer group may read and write what: by class, property and resource
requests    what a super-peer asks of a peer, the answers, and what a peer reports by itself
site        a peer: changes by itself, executes actions, evaluates event queries and sub-queries, compensates
stream      what is durable of a peer: what it has told, and what of that is still needed
terms       terms and triples as text in messages; blank nodes named by their site
"""
