"""Publish/subscribe in the space that nodes share, without I/O: CSMA and OSMA (Pellegrino et al., section 4).

    blank_nodes         labels that stay apart when quadruples of many events lie side by side
    causality           what happened before what, by positions in the logs of nodes
    chains              the chains of a subscription, the zones that they touch, and rewritings as they are sent
    contents            what lies in some zones, as it goes from one holder to another
    effects             what is asked of the space below and told to the shell around
    gateway             publishes, subscribes, collects events and notifies, for the clients of a node
    messages            messages between nodes
    node                gateway and holder put together
    records             what a node has of compound events
    strategy            whether an event is published as quadruples or whole
    subscription_index  the subscriptions of some zones, by the first pattern of their chains
    zone_holder         indexes, stores and matches in the zones of a node

No node of Triplewire offers it yet. docs/event-space.md describes the whole.
"""
