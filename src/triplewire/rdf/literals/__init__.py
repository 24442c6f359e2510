"""Literals by their values: what they are, and how they compare.

values     what a term's value is, and how two values compare: the semantics of FILTER
numbers    numeric literals
dates      the eight XSD types that name a point or a stretch of time, on one time line
durations  months and seconds, which have no fixed ratio, so that their order is partial
strings    strings with and without a language, and CONTAINS, STRSTARTS and STRENDS over them
kept       the form in which Oxigraph's store keeps a literal
"""
