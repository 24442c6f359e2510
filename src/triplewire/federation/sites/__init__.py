"""A peer's repository, and what its super-peer asks of it (section 3.2).

codec       requests and answers as bytes
privileges  who outside the peer group may read and write what: by class, property and resource
requests    what a super-peer asks of a peer, and the answers
site        a peer: executes actions, evaluates event queries and sub-queries, compensates
terms       terms and triples as text in messages; blank nodes named by their site
"""
