"""`make bench-views`: how many updates a node with many views takes durably, how soon it tells, and rivals beside it.

    library      the data, the views and the updates
    node         a Triplewire node in its own process: loaded, furnished with views, stopped
    loads        writers over HTTP, as fast as they are answered or by the clock
    hearing      readers of event streams, and how long each notification took
    told         what waits in outboxes, held against the updates that were acknowledged
    alone        views without a node, in process, beside those who run every query again
    measuring    the measurements, one after the other
    figures      what was asked, beside what was measured
    drawing      the plot
    page         the figures, for the page that discusses them

Everything is on loopback and shares the machine's cores: node, writers and readers. An update counts when it was
acknowledged, which is after it is on the disk with what every view has to say about it.
"""
