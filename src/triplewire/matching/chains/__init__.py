"""A subscription as chains of sub-subscriptions, each met by one quad (Pellegrino et al., section 4.1).

anchors    what a quad must be for a subscription to be concerned
steps      patterns in an order: what is bound when a step is reached, and what is asked for later
rewriting  a chain under way in one event: what its quads so far have bound

The strategies of the pipeline, the event space and the join over one event go by the same steps.
"""
