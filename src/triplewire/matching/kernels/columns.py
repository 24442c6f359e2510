"""The columns of the scanner's two tables of 64-bit integers, and the codes that stand in them.

A span is two columns: where it starts in the buffer, and where it ends (exclusive). A term's three columns are its
span and its hash, in this order, so that `S`, `P`, `O` and `G` with `START`, `END` and `HASH` added name them all.
"""

from __future__ import annotations

START, END, HASH = 0, 1, 2

# A row per quad. Terms: subject, predicate, object and graph.
S, P, O, G = 0, 3, 6, 9  # noqa: E741  the letters of RDF
QUAD_STATE = 12
QUAD_EVENT = 13
QUAD_LINE = 14
OBJECT_KIND = 15
LEXICAL_START = 16  # between the quotes
LEXICAL_END = 17
TAG_START = 18  # of the language, or of the datatype without its angle brackets
TAG_END = 19
ESCAPED = 20  # 1 where the lexical form holds a backslash
DATATYPE = 21
NUMBER_STATE = 22
QUAD_WIDTH = 23

# QUAD_STATE
FRESH = 0
DUPLICATE = 1  # the event has the same quad on an earlier row
SLOW = 2  # a line that the strict parser has to read; its span is in the subject's columns
BROKEN = 3  # the strict parser refused it

# OBJECT_KIND
IRI, BLANK, STRING, LANGUAGE, TYPED, DIRECTED, TRIPLE = range(7)

# NUMBER_STATE
NOT_A_NUMBER = 0  # no numeric type, or plainly ill-typed
EXACT = 1  # the float64 is the value
ROUNDED = 2  # the float64 nearest to the value: strict order against other such numbers is right, a tie says nothing
UNDECIDED = 3  # a numeric type, but only exact arithmetic can tell the value, or whether there is one
MOMENT = 4  # no number, but a date or time without a zone: seconds, as `moments` counts them
ZONED = 5  # the same with a zone, in UTC

# A row per event.
EVENT_GRAPH = 0  # span and hash of the graph's IRI, angle brackets included; an empty span where a broken line has none
EVENT_FIRST = 3  # its quads are rows first .. last, last exclusive
EVENT_LAST = 4
EVENT_LINE = 5
EVENT_REJECTED = 6  # 1 where one of its lines is broken, or all of it too large
EVENT_WIDTH = 7
