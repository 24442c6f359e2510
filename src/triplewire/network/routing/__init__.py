"""Routing of advertisements, subscriptions and events (Chirita et al., section 3).

advertisements  descriptions, the advertisement index, and its forwarding
attachments     the state that two neighbours share in one dimension, and the table of all attachments
publications    events as they are sent, parsed again
router          advertisements, subscriptions and events between one super-peer and its neighbours
subscriptions   standing queries, their poset, their forwarding, and the matching of events
validation      validation of what other super-peers send
watermarks      positions up to which everything of an origin was received, and recalls of the rest
"""

from triplewire.network.routing.advertisements.descriptions import advertisements_in, describe
from triplewire.network.routing.advertisements.index import AdvertisementIndex
from triplewire.network.routing.subscriptions.poset import Poset
from triplewire.network.routing.subscriptions.reasoner import AlgebraReasoner, Reasoner
from triplewire.network.routing.subscriptions.standing_queries import standing_query

__all__ = [
    "AdvertisementIndex",
    "AlgebraReasoner",
    "Poset",
    "Reasoner",
    "advertisements_in",
    "describe",
    "standing_query",
]
