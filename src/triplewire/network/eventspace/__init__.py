"""Publish/subscribe in the space that nodes share, without I/O: CSMA and OSMA (Pellegrino et al., section 4).

    blank_nodes      labels that stay apart when quadruples of many events lie side by side
    bounded_set      a set that forgets, for what only spares work
    causality        what happened before what, by positions in the logs of nodes
    chains           the chains of a subscription, the zones that they touch, and rewritings as they are sent
    chunks           changes of what zones share, as they go from node to node
    effects          what is asked of the space below and told to the shell around
    fetches          quadruples in boxes, read from all their owners in pages
    filter_bounds    where the terms lie that satisfy the filters on a variable
    gateway          publishes, subscribes and collects events, for the clients of a node
    member           overlay, holder and gateway put together: what a shell drives
    member_contents  what the overlay moves between members
    messages         messages between nodes
    node             gateway and holder put together
    quads            quadruples as rows of coordinates, and back to N-Quads
    screening        what another member has sent is checked before anything is changed by it
    storage          quadruples, events and records on the disk
    strategy         whether an event is published as quadruples or whole
    zones            indexes, stores and matches in the zones of a node

docs/event-space.md describes the whole.
"""
