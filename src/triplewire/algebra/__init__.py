"""The algebra: queries as data, and what can be said about them without an event.

patterns        a triple in which any position may be a variable
constraints     what the values of variables must satisfy, in disjunctive normal form
queries         what a subscription asks of one event
subscriptions   a standing query with an identifier and an owner; the languages that are known
taxonomy        an RDFS class and property hierarchy with listed instances
derivations     what follows from what, by which axioms of a hierarchy
hierarchy       nodes with any number of parents, and no cycles
namespaces      the schemas of properties, as far as their names tell
evaluation      what a test comes out as for given terms: true, false, or an error
advertisements  what a peer will publish, as values and in RDF
reasoning       what holds of queries for every event; each question is answered yes only when that is sure
verdicts        yes with a witness, no with a proof, or unknown
class_l         the class L of Chirita et al., as a shape that a query of any language may have
"""

from triplewire.algebra.advertisements.advertisement import Advertisement
from triplewire.algebra.advertisements.supply import Supply, joined, supply_of
from triplewire.algebra.advertisements.value_sets import Interval
from triplewire.algebra.reasoning.covering import covers, explain_covers
from triplewire.algebra.reasoning.exclusion import excludes
from triplewire.algebra.reasoning.satisfiability import satisfiability, satisfiable
from triplewire.algebra.reasoning.subsumption import explain_implies, explain_subsumes, implies, subsumes
from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.algebra.verdicts import Answer, Verdict

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
