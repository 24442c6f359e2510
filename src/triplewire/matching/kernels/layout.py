"""How a compiled core lies in memory: one run of 32-bit words, so that equal cores are equal bytes.

    header         patterns, variables, graph terms, alternatives
    patterns       three words each, in the order in which the join visits them
    graph terms    one word each; each must equal the event's own IRI
    alternatives   a count of rows, then the rows

A word that stands for a term is a constant's id (zero or more) or a variable: `-1 - (2 * index + binds)`, where `binds`
is 1 at the place that the join reaches first. A row is five words: operation, variable, two words of operand, detail.
An operand is a constant's id, another variable, a text's id, or the two halves of a float64.
"""

from __future__ import annotations

HEADER = 4
ROW = 5

# operations: what a row tests
NUMBER = 1  # operand: float64; detail: comparator | operand flags << 8
TERM = 2  # operand: constant id of an IRI or plain string; detail: comparator | TERM_IS_IRI
VARIABLES = 3  # operand: variable; detail: comparator
MEMBER = 4  # operand: how many OPERAND rows follow
TEXT = 5  # operand: text id; detail: relation
CLASS = 6  # operand: constant id; detail: relation
INTEGER = 7
EXACT = 8  # anything else: the exact evaluation decides
MOMENT = 10  # operand: float64, seconds; detail: comparator | MOMENT_IS_ZONED | datatype << 12
OPERAND = 9  # a row of MEMBER: variable word says NUMBER or TERM, the rest as there
MUST_FAIL = 16  # added to an operation: the test must come out false

TERM_IS_IRI = 256
MOMENT_IS_ZONED = 256

# comparators
EQUAL = 0
NOT_EQUAL = 1
LESS = 2
AT_MOST = 3
GREATER = 4
AT_LEAST = 5

# text relations
CONTAINS = 0
STARTS = 1
ENDS = 2

# taxonomy relations
IS_A = 0
ANCESTOR_OF = 1
DIRECT = 2
DIRECT_OR_SAME = 3

# what a row or a core comes to
NO = 0
YES = 1
UNSURE = 2
OVER_BUDGET = 3
NO_ROOM = 4  # the caller has to offer larger arrays

# anchor tags: which part of a quad leads to a core
PREDICATE_OBJECT = 1
SUBJECT_PREDICATE = 2
SUBJECT = 3
OBJECT = 4
PREDICATE = 5
SUBSTRING = 6
CLASS_MEMBER = 7
ANY = 8

# guards: what else must be in the event before a core is worth verifying
UNGUARDED = 0
HAS_OBJECT = 1
HAS_VALUE = 2
HAS_MOMENT = 3

NOBODY = -1
EVERY_PREDICATE = -1
