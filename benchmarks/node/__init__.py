"""`make bench-node`: how many events a node accepts durably, how soon it tells, and NATS JetStream beside it.

    payloads      the events
    carrier       what a broker under test must be able to do
    served        a Triplewire node in its own process, spoken to over plain sockets
    loads         publishers, as fast as they are answered or by the clock
    hearing       subscribers, and how long each notification took
    measuring     the measurements, one after the other
    figures       what was asked, beside what was measured
    drawing       plots

Everything is on loopback and shares the machine's cores: broker, publishers and subscribers. An event counts when it
was acknowledged, which is after it is on the disk.
"""
