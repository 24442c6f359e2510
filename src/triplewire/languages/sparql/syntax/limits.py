"""How large a query or update may be: checked while reading, so hostile text costs little and overflows no stack."""

from __future__ import annotations

from msgspec import Struct


class QueryLimits(Struct, frozen=True):
    """Limits on the text of one query or update.

    `depth` counts nested braces, brackets, parentheses and `!`; the tree itself may be twice as high. `chain` is how
    many operands `&&`, `||`, `+ -`, `* /`, `/` and `|` may join. A constraint with more alternatives than
    `alternatives` is no error: the query takes the general lane. `regex_cost` bounds the compiled size of a regular
    expression, in the units of `regex_cost.cost`. `stack` is how many kibibytes of stack Oxigraph may take for what it
    is given, by the weights of `oxigraph_limits`: less than a third of the smallest that a thread of ours has. `joins`
    is how many parts of one group it may have to put in order. `operations` is how many an update may have, and `data`
    how many triples one INSERT DATA or DELETE DATA.
    """

    text: int = 64 * 1024
    depth: int = 64
    patterns: int = 500
    chain: int = 500
    alternatives: int = 256
    regex_length: int = 1_000
    regex_cost: int = 30_000
    stack: int = 640
    joins: int = 100
    operations: int = 1_000
    data: int = 100_000


DEFAULT_LIMITS = QueryLimits()
# Data is longer than a question. Each operation keeps within what a query may have.
UPDATE_LIMITS = QueryLimits(text=1024 * 1024)
