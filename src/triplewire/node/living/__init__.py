"""The living graph on a node: a dataset that is changed in transactions, with rules over it.

changes        changes, for those who are told of them in the transactions that keep them
compaction     the dataset in memory made anew, without what was removed
edits          edits of graphs, as the Graph Store Protocol, RDF Patch and merged events ask for them
graph          the dataset, the rules and what triggers them, in memory
journal        what each transaction has changed, and what every rule did in it
publication    changes of the living graph, published as events in the very transaction that keeps them
reasons        what solutions stand on: asserted by which change and firings, or inferred by the schema
reporting      whoever is told of each change with all that its schedule did
service        the living graph of a broker, for callers on the event loop
sparql_update  SPARQL 1.1 Update: each operation is planned as edits when its turn comes
store          the living graph and its rules as the database has them
transaction    runs a schedule, records it and publishes its changes, all at once
"""
