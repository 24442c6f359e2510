"""Workload generators: subscriptions and events in any number, the same for the same seed.

    attributes    `mixed`, `zipf` and `ranges`
    churn         subscriptions come and go while events pass
    composed      OPTIONAL, UNION, MINUS, NOT EXISTS and paths in a third of the queries
    classes       isA on a class tree
    gtopss        the workload of G-ToPSS's experiments (section 5): random graphs as publications, parts of them as
                  subscriptions
    library       a digital library's feed of papers, with subscriptions in the three languages
    shapes        chains and cycles, where joins do the work
    stars         constants, ranges and open properties, written in any of the three languages
    texts         nothing but CONTAINS
    vocabularies  classes, properties and restrictions in Turtle, the same for the same seed
    workload      subscriptions as rows of text, events as N-Quads, both made on demand and the same for the same seed

| generator | what is hard about it |
|---|---|
| `mixed` | nothing in particular: a constant and a numeric range |
| `zipf` | a few constants are very common |
| `composed` | operators that kernels do not know, in a third of the queries |
| `ranges` | no constant object |
| `substrings` | nothing but CONTAINS |
| `taxonomy` | isA on a class tree |
| `graphs` | chains and cycles: joins |
| `churn` | subscriptions come and go |
| `library` | a digital library's feed, in three languages |
| `gtopss` | the random graphs of G-ToPSS's experiments |
| `vocabulary` | one graph of tens of thousands of triples, as large as a published vocabulary |

`matches_per_event` is the expected number of matches; cardinalities follow from it and the number of subscriptions.
"""

from __future__ import annotations

from triplewire.testing.workloads.attributes import mixed, ranges, zipf
from triplewire.testing.workloads.churn import Churn, Replacement, churn
from triplewire.testing.workloads.classes import taxonomy
from triplewire.testing.workloads.composed import composed
from triplewire.testing.workloads.gtopss import Parameters, gtopss
from triplewire.testing.workloads.library import library
from triplewire.testing.workloads.shapes import graphs
from triplewire.testing.workloads.texts import substrings
from triplewire.testing.workloads.vocabularies import BRICK, DBPEDIA, SCHEMA_ORG, Shape, vocabulary
from triplewire.testing.workloads.workload import Row, Workload

__all__ = [
    "BRICK",
    "DBPEDIA",
    "SCHEMA_ORG",
    "Churn",
    "Parameters",
    "Replacement",
    "Row",
    "Shape",
    "Workload",
    "churn",
    "composed",
    "graphs",
    "gtopss",
    "library",
    "mixed",
    "ranges",
    "substrings",
    "taxonomy",
    "vocabulary",
    "zipf",
]
