"""From N-Quads bytes to rows, values and events.

canonical  each quad once, one a line, sorted
datatypes  which XSD type a datatype's IRI names, as a small number
lines      from N-Quads bytes to a row per quad
moments    dates and times of day on one line: seconds from the beginning of the year 0, as `rdf.literals.dates`
           counts them
numbers    the float64 that a lexical form stands for
rounding   digits and a power of ten to the nearest float64, without long arithmetic
runs       a run of rows with one graph is an event, and in it a quad counts once
spelling   where a term ends, if it is spelled in the one way that the scanner takes
"""
