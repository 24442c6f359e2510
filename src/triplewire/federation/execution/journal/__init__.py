"""The journal of one peer: what was written and read there, by whom, in which order.

entries   what was written and read, and whose it is
indexes   entries to be found by triple, by lookup and by whose they are
journal   who depends on whom, and what an abort leaves
"""

from __future__ import annotations

from triplewire.federation.execution.journal.entries import ReadFrom, Who, Written
from triplewire.federation.execution.journal.journal import Commute, Journal

__all__ = ["Commute", "Journal", "ReadFrom", "Who", "Written"]
