"""From N-Quads bytes to rows, values and events.

lines      a row per quad
spelling   where a term ends, if it is spelled in the one way that the scanner takes
datatypes  which XSD type a datatype's IRI names, as a small number
numbers    the float64 that a lexical form stands for
rounding   digits and a power of ten to the nearest float64, without long arithmetic
moments    dates and times of day on one line, in seconds
runs       from rows to events: a run of rows with one graph, in which a quad counts once
canonical  events in their canonical text: each quad once, one a line, sorted
"""
