"""The worker: a process with the node's zones and quadruples, as a member of the space.

inbox          what has come since the last batch
main           the process, from its start to its end
message_codec  frames between workers: a version, then many messages
messages       messages between workers beside those of the overlay
pipe           the worker's side of the pipe to its node
shell          runs a member: a batch in, a commit, effects out
surveys        how every node of the space stands, asked from neighbour to neighbour
transport      messages between workers over ZeroMQ with CURVE
"""
