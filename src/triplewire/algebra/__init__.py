"""The algebra: queries as data, and what can be said about them without an event.

    patterns, constraints, queries, subscriptions    what is asked
    taxonomy, hierarchy                              what the world is like
    evaluation                                       what a test comes out as
    advertisements, intervals                        what a peer will publish
    satisfiability, subsumption, covering            the questions; each answers yes only when it is sure
    supplies                                         what the advertisements of one client say together
    exclusion                                        the opposite of covering: what nobody there will publish

How a question is answered: `situations` takes a core apart, `homomorphisms` fits one into another, `refutation` shows
that nothing is missed, `domains` (with `numerals`, `timeline`, `texts`) and `pairs` know what a variable can be.
"""

from triplewire.algebra.advertisements import Advertisement
from triplewire.algebra.answers import Answer, Verdict
from triplewire.algebra.covering import covers, explain_covers
from triplewire.algebra.exclusion import excludes
from triplewire.algebra.intervals import Interval
from triplewire.algebra.satisfiability import satisfiability, satisfiable
from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.subsumption import explain_implies, explain_subsumes, implies, subsumes
from triplewire.algebra.supplies import Supply, joined, supply_of
from triplewire.algebra.taxonomy import Taxonomy

__all__ = [
    "Advertisement",
    "Answer",
    "Interval",
    "Subscription",
    "Supply",
    "Taxonomy",
    "Verdict",
    "covers",
    "excludes",
    "explain_covers",
    "explain_implies",
    "explain_subsumes",
    "implies",
    "joined",
    "satisfiability",
    "satisfiable",
    "subsumes",
    "supply_of",
]
