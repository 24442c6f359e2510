"""Where a subscription has to go, and where an event has to go (Chirita et al., section 3).

advertisements    advertisements as they travel, and the indices that route subscriptions by them
attachment_table  the attachment table of one super-peer: its attachments in both directions, and the dimension of
                  each origin
attachments       the state that two neighbours share in one dimension
publications      events as they are sent, parsed again
router            advertisements, subscriptions and events between one super-peer and its neighbours
subscriptions     the poset, forwarding, and which of them an event matches
validation        validation of what other super-peers send
watermarks        up to which position everything of an origin was received, and recalls of the rest
"""

from triplewire.network.routing.advertisements.descriptions import advertisements_in, describe
from triplewire.network.routing.advertisements.indices import AdvertisementIndex
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
