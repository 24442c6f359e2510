"""What section 5 of the EventCloud paper says in numbers; its figures have more, but no table.

Theirs: 29 machines with a Xeon E5520 at 2.26 GHz, 32 GB and a hard disk, one peer a machine, Java 7, Jena TDB.
"""

from __future__ import annotations

RATIO = 5.43
"""OSMA beside CSMA in experiment (a), by the median."""
SUBSCRIPTIONS_CSMA = 92.0
"""CSMA's compound events a second in experiment (c), nearly the same for 1 to 60 subscriptions."""
MOST_CSMA_PUBLICATIONS = 21_000
"""Beyond this, (b) took too long with CSMA."""
