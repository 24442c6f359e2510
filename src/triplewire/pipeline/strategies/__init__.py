"""How events and subscriptions meet on a cluster: one protocol, three ways, the same answers.

strategy           the protocol: prepare an index, match rows, match splits
replicate          every task maps the whole index
osma               the index in parts; an event goes to each part that one of its quads leads to
csma               quads travel alone; subscriptions are rewritten step by step, then verified on the whole event
catalog            strategies by name, with what `auto` means; indexes of the past by version

capacity           how large an index is, how much memory there is for it
partitions         which part a subscription lives in, and what leads an event there
fingerprints       terms, parts of quads and quads as numbers
chains             a subscription as steps
prepared_folders   what a strategy has prepared, on disk
index_store        the same under the root of a lake, wherever that is
"""

from triplewire.pipeline.strategies.catalog import prepare
from triplewire.pipeline.strategies.strategy import Strategy

__all__ = ["Strategy", "prepare"]
