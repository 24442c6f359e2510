"""What a node does for its clients in the event space: publish, subscribe, collect.

client_subscriptions  the subscriptions of a node's clients, each with the stamp that it keeps
collections           events on their way here, and those that nobody has accepted yet
gateway               the calls of clients, and the messages that come for them
publications          publications that are not known to be stored, and who waits for them
"""
