"""Literals by their values: what they are, and how they compare.

dates      the eight XSD types that name a point or a stretch of time, on one time line
durations  months and seconds, which have no fixed ratio, so that their order is partial
numbers    their lexical forms, their values and how two of them compare
strings    strings with and without a language, and SPARQL's CONTAINS, STRSTARTS and STRENDS over them
values     what a term's value is, and how two values compare: the semantics of FILTER for matcher and reasoner
"""
