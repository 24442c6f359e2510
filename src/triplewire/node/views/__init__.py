"""Views on a node: standing queries over the living graph, as subscriptions whose notifications are what changed.

answers    what a view says, as the JSON that waits in the outbox
ephemeral  views that live as long as whoever listens to them, with nothing on the disk
follower   the views beside the living graph, on the writer's thread: told of each change in its transaction
service    the views of a broker, for callers on the event loop
windows    what several changes mean together, said once
"""
