"""RDFTL rules on a node: registered, triggered, executed and published.

engine               the repository, the rules and what triggers them, in memory
event_listener       published events become updates of the rules' repository, where they may trigger rules
event_triggers       the rules that published events trigger as well
event_updates        an event as an update: one transaction, under the event's name, that inserts its triples
idempotency          updates under a key are executed once, and answered alike however often they are sent
journal              what each schedule has changed, and what every rule did in it
publication          changes of the rules' repository, published as events in the very transaction that keeps them
registration         rules put and removed, inside a transaction
registration_report  what the analysis says of a rule that was just registered: a report, never a reason to refuse it
rights               who may write rules and updates, and what they may write
service              the rules of a broker, for callers on the event loop
store                the engine as the database has it
update               runs a schedule, records it and publishes its changes, in one transaction
"""
