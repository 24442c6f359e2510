"""The algebra: queries as data, and what can be said about them without an event.

    advertisements  what a peer will publish (Chirita et al., definitions 5 to 7), as values and in RDF
    class_l         the class L of Chirita et al., as a shape that a query of any language may have
    constraints     what the values of variables must satisfy, in disjunctive normal form
    evaluation      what a test comes out as for given terms: true, false, or None for SPARQL's error
    hierarchy       nodes with any number of parents, and no way to climb from a node back to itself
    namespaces      the schemas of properties, as far as their names tell
    patterns        a triple in which any position may be a variable
    queries         what a subscription asks of one event
    reasoning       what holds of queries for every event: satisfiability, subsumption, covering, exclusion
    subscriptions   a standing query with an identifier and an owner
    taxonomy        an RDFS class and property hierarchy with listed instances
    verdicts        yes with a witness, no with a proof, or that it does not know

How a question is answered: `situations` takes a core apart, `homomorphisms` fits one into another, `refutation` shows
that nothing is missed, `domains` (with `number_candidates`, `date_candidates`, `text_candidates`) and `pairs` know what
a variable can be: all of them in `reasoning`.
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
