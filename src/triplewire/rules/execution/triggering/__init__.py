"""Which rules an update triggers, and with which `$delta`.

candidates       which rules an update may have triggered, asked of the matcher
deferral         which of the deferred rules that a transaction has triggered fire at its end
event_detection  which events have occurred, and for which `$delta` they are a rule's event
firing           the triggered rules whose condition holds, each with its `$delta`
reachability     events that happen because a path leads somewhere now, whatever made it do so
"""
