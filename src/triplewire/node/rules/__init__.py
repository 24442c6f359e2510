"""RDFTL rules on a node, over the default graph of its living graph: registered, triggered and executed.

analysis_report      what the analysis says of a whole rule base: what triggers what, whether it ends, what to look at
carried_interests    what rules that listen wait for, as far as a network or a space can carry it to other nodes
event_listener       published events become updates of the living graph, where they may trigger rules
idempotency          updates under a key are executed once, and answered alike however often they are sent
registration         rules put and removed, inside a transaction
registration_report  what the analysis says of a rule that was just registered: a report, never a reason to refuse it
rights               who may write rules and updates, and what they may write
service              the rules of a broker, for callers on the event loop
withdrawal           an update that has not ended is dropped, because its client does not want it any more
"""
