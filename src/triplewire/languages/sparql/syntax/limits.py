"""How large a query may be. Checked while reading, so that hostile text costs little and never overflows a stack."""

from __future__ import annotations

from msgspec import Struct


class QueryLimits(Struct, frozen=True):
    """Limits on one query text.

    `depth` counts nested braces, brackets, parentheses and `!`; the tree itself may be twice as high. `chain` is how
    many operands `&&`, `||`, `+ -`, `* /`, `/` and `|` may join. A constraint with more alternatives than
    `alternatives` is no error: the query takes the general lane. `regex_cost` bounds the compiled size of a regular
    expression, in the units of `regex_cost.cost`. `stack` is how many kibibytes of stack Oxigraph may take for what it
    is given, by the weights of `oxigraph_limits`: less than a third of the smallest that a thread of ours has. `joins`
    is how many parts of one group it may have to put in order.
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


DEFAULT_LIMITS = QueryLimits()
