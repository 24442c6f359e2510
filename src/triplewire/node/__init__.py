"""The node: a durable broker that people and programs talk to over HTTP.

broker       publish, subscribe, read, acknowledge: the common face of
  intake, subscribing, histories, reading, letters, keeping
             its parts, each of which hands steps to the store's writer
  core       what they share, and loading reads at the start, from snapshots where it can
rules        RDFTL rules: who may (rules_rights), what the analysis says (rules_report), their changes as events
             (rules_publication), and published events that trigger them (rules_hearing, rules_taking)
publishing, catching_up
             what happens, as steps inside a transaction
audience     live subscriptions in matchers, one for each grant
grants, quotas, admission
             what a client may do, how much, and whose notifications are made later
origins, stream_tokens
             which web pages may talk to the node, and how they open streams
roster       what is known of subscriptions without asking the disk
bells        who is woken when there is something new
answers      matches as the JSON that goes out
network      the node as a super-peer
"""
