"""Advertisements as they travel, and the indices that route subscriptions by them.

descriptions        everything that a peer advertises, as one unit that is sent
indices             the advertisement indices (Chirita et al., section 3.2) and the routing of subscriptions by
                    them (algorithm 1)
own_advertisements  the SP/P and SP/SP indices of a super-peer, and what is sent downstream of them
registration        the message with which a peer registers what it will publish (Chirita et al., section 3.2), in
                    RDF
"""
