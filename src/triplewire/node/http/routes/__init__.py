"""The routes of the HTTP API, one module for each group of resources.

administration  `/clients`, `/taxonomy`, `/explain`: who there is, what classes there are, how a query is matched
advertisements  `/advertisements`: what a client will publish, so that subscriptions elsewhere find their way to
                this node
console         what the page in the browser shows, and the page itself: a folder of routes
dead_letters    `/dead-letters`: notifications that were given up; one's own, and an administrator sees all
events          `/events`: publish, and read what is kept
explanations    `/explain`: how a query is matched, and why an event does or does not satisfy it
living          `/update`, `/graph`, `/changes`: the living graph changed, and its journal
network         `/network`: the network of super-peers as this node sees it
network_rules   `/rules/relevance`, `/transactions`, `/privileges`, and `?scope=network`: rules across super-peers
notifications   `/subscriptions/{name}/notifications`, and of views: pages, server-sent events, WebSocket
rules           `/rules`, `/updates`, `/schedules`, `/schema`: RDFTL rules over the living graph, and what they do
space           `/space`: the event space as its nodes describe themselves; and how a node leaves it
sparql          `/sparql`: queries over the living graph; `/events/sparql`: over every event that is kept
status          `/health` and `/metrics`: is it well, and what does it do?
subscriptions   `/subscriptions`: standing queries, and what they have to say
views           `/views`: standing queries over the living graph
"""
