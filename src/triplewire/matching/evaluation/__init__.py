"""One subscription on one event, evaluated in plain Python, within a budget.

plans        queries made ready to be evaluated on many events, and kept while they are in use
join         all the ways in which a core matches one event
event_view   one event, its triples found by any combination of positions
budget       how much one evaluation may do before it is stopped
quarantine   which subscriptions exceeded the budget too often, and why
interpreter  what is evaluated here as long as the kernels are not compiled
"""
