"""How events and subscriptions meet on a cluster: three ways with the same answers.

replicate   every task maps the whole index
osma        the index in parts; an event goes to each part that one of its quads leads to
csma        quads travel alone; subscriptions are rewritten step by step, then verified on the whole event

partitions, routes    which part a subscription lives in, and what leads an event there
fingerprints, keys    quads and their parts as numbers
chains                a subscription as steps
prepared              the index as each strategy wants it, on disk
auto, memory          which strategy fits
matched               prepare and match by a strategy's name
catalog               an index of the past, by its version
"""

from triplewire.pipeline.strategies.auto import Strategy
from triplewire.pipeline.strategies.matched import Prepared, matched, prepare, strategy_of

__all__ = ["Prepared", "Strategy", "matched", "prepare", "strategy_of"]
