"""Where a subscription has to go, and where an event has to go (Chirita et al., section 3).

descriptions    what a peer registered, as one thing with a key
registration    the message in RDF with which a peer registers
standings       subscriptions as they travel
publications    events as they travel
reasoning       what is asked of queries: implies, covers, matches
indices         the advertisement indices on three levels, and algorithm 1
traits          what a query needs of an event, for finding candidates quickly
poset           the subscription poset with origins, and algorithm 2
order           the order itself, as its transitive reduction
filing          where the poset finds candidates by their traits
"""

from triplewire.network.routing.descriptions import advertisements_in, describe
from triplewire.network.routing.indices import Indices
from triplewire.network.routing.poset import Poset
from triplewire.network.routing.reasoning import AlgebraReasoner, Reasoner
from triplewire.network.routing.standings import standing_of

__all__ = ["AlgebraReasoner", "Indices", "Poset", "Reasoner", "advertisements_in", "describe", "standing_of"]
