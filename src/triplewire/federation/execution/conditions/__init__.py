"""Conditions of rules across sites (section 3.2).

deferral     deferred rules: what waits for the end of a transaction, and what of it fires then
evaluation   a condition over the fragments of many sites: sub-queries, round by round
sub_queries  asks the sites that a condition concerns, and answers those of others from the own group
"""
