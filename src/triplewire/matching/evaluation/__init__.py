"""One subscription on one event, evaluated in plain Python, within a budget.

budget       how much one evaluation may do before it is stopped
event_view   one event, made ready to be asked: its triples found by any combination of positions
interpreter  few subscriptions, few events, and no kernels compiled yet: evaluate in plain Python
join         all the ways in which a core matches one event
plans        queries made ready to be evaluated on one event after the other, and kept while they are in use
quarantine   who exceeded the budget too often, and why: those subscriptions are evaluated no more, the others go
             on
"""
