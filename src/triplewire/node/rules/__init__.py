"""RDFTL rules on a node: registered, triggered, executed and published.

event_listener       published events come into the rules' repository, where a rule that listens may be triggered
                     by them
event_updates        one transaction, under the event's name, that inserts its triples
idempotency          executed once, and answered alike however often they are sent
publication          changes of the rules' repository, published as events in the very transaction that keeps them
registration_report  what the analysis says of a rule that was just registered: a report, never a reason to refuse
                     it
rights               who may write rules and updates, and what they may write
service              a schema, rules and a repository that survive, and whose changes are published
"""
