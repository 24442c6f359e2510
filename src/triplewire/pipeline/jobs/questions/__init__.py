"""What is asked of a lake's history.

asking          a SPARQL query, answered as a node answers over the events that it keeps
reporting       which subscriptions fire, how often, together with which, at what cost
report_picture  the picture of it
validation      what does not conform to SHACL shapes, as rejects
rule_replay     rules over events, in order: what fires, and what changes
past            which events a question is about
parquet_folder  an answer as a new folder of Parquet, on any storage
rules_dry_run   what rules would have done over the history
"""
