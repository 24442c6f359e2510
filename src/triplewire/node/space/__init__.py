"""The node in an event space: a worker process with its zones and quadruples, and what ties it to the broker.

leaving          a node hands all that it has over to others, for good
process          the worker, seen from the node: started, spoken to, started again
publications     what is published at the node goes from its log into the space
queries          SPARQL over the whole space
space            the node's part: runs the worker, and connects it with the broker
space_settings   how a node takes part, from its settings
subscriptions    subscriptions of the node, issued into the space
view             the space for people
worker           the worker process itself
worker_messages  what a node and its worker say to each other
"""
