"""The serialisation graph of optimistic concurrency control (section 3.2), as AMOR has it.

graph  who comes before whom, shared by those who coordinate what is in it; cycles, and who aborts
parts  what is connected in it, and which super-peers coordinate something there
"""

from __future__ import annotations

from triplewire.federation.execution.serialisation.graph import Edge, SerialisationGraph, Untold, Verdict

__all__ = ["Edge", "SerialisationGraph", "Untold", "Verdict"]
