"""Where a subscription has to go, and where an event has to go (Chirita et al., section 3).

advertisements    advertisements as they travel, and the indices that route subscriptions by them
attachment_table  its attachments in both directions, and in which dimension each origin stands
attachments       what two neighbours owe each other in one dimension
publications      events as they travel, read back
router            advertisements, subscriptions and events between one super-peer and its neighbours
subscriptions     the poset, forwarding, and which of them an event matches
validation        what comes from another super-peer is looked at before it is let in
watermarks        how far everything of an origin has been heard, and recalls of what was not
"""

from triplewire.network.routing.advertisements.descriptions import advertisements_in, describe
from triplewire.network.routing.advertisements.indices import Indices
from triplewire.network.routing.subscriptions.poset import Poset
from triplewire.network.routing.subscriptions.reasoner import AlgebraReasoner, Reasoner
from triplewire.network.routing.subscriptions.standing_queries import standing_of

__all__ = ["AlgebraReasoner", "Indices", "Poset", "Reasoner", "advertisements_in", "describe", "standing_of"]
