"""Advertisements as they travel, and the indices that route subscriptions by them.

descriptions        everything that a peer registered that it will publish, as one thing that travels
indices             the advertisement indices (Chirita et al., section 3.2) and the routing of subscriptions by
                    them (algorithm 1)
own_advertisements  what our own peers will publish, what others will, and who below us is told of it
registration        the message with which a peer registers what it will publish (Chirita et al., section 3.2), in
                    RDF
"""
