"""What holds of queries for every event: satisfiability, subsumption, covering, exclusion.

    satisfiability     whether any event at all can meet a constraint, a core or a query
    subsumption        subsumption and implication between queries (Chirita et al., definition 3)
    covering           whether an advertisement covers a subscription (definitions 5, 6 and 8)
    exclusion          the opposite of covering: what nobody there will publish
    situations         takes a core apart: the ways in which it can match, with what they force made explicit
    homomorphisms      fits one query's patterns into another's
    renaming           tests and patterns carried over to the terms of another query
    refutation         shows that no event can do what is asked
    demands            what the reasoner asks of a test's outcome
    domains            what one variable can be
    pairs              what two variables that are compared with each other can be
    number_candidates  numbers enough to stand for all numbers, given those that tests compare with
    date_candidates    the same for dates
    text_candidates    the same for strings
    effort             how much work the reasoner may still do

How a question is answered: `situations` takes a core apart, `homomorphisms` fits one into another, `refutation` shows
that nothing is missed, `domains` and `pairs` know what a variable can be. Containment is NP-hard, so each answer says
yes only when that is sure, and `effort` bounds the search.
"""
