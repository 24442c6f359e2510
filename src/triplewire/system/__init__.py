"""What several packages need of the operating system, once. Knows nothing of RDF.

backoff        exponential backoff with jitter
collector      the garbage collector passes over what lasts
curve_sockets  ZeroMQ sockets with CURVE: encrypted, and both ends proven by key; needs pyzmq
durable_files  after a kill or a power cut each is as it was or as it should be, never half of it
folder_lock    locks that keep a folder to one process at a time
supervisor     background tasks of one owner, from its start to its stop
"""
