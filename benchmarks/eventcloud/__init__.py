"""`make bench-eventcloud`: the experiments of the EventCloud paper's figure 2, CSMA and OSMA side by side.

    plans         how large a run is
    workload      chained patterns, and compound events that evenly match them
    outcomes      what one run gave
    paper         what the paper says in numbers
    costs         what a step costs, as a model that is fitted to measured steps
    simulator     nodes with queues and links; time is what things cost
    tiling        zones as joins would have cut them
    space         members of a simulated space, that own those zones
    describing    what a message has to do with, for the model
    driving       a workload on a simulated space
    experiments   the experiments, simulated
    load          publishers and a subscriber over HTTP
    processes     real nodes
    real          the experiments on real nodes
    tables, drawing, page    ratios, what was asked, the picture, and the page that they are on

The simulator runs the protocol's own code (`SpaceMember`); only the time is simulated. docs/eventcloud.md discusses
what comes out, beside what the paper has.
"""
