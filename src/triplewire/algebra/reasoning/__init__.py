"""What holds of queries for every event: satisfiability, subsumption, covering, exclusion.

covering           whether an advertisement covers a subscription (Chirita et al., definitions 5, 6 and 8)
date_candidates    dates enough to stand for all dates, given the dates that tests compare with
demands            what the reasoner asks of a test's outcome
domains            whether some term meets a set of demands
effort             how much work the reasoner may still do
exclusion          the opposite of `covering`, for those who route
homomorphisms      the ways in which one query's patterns fit into another's
number_candidates  numbers enough to stand for all numbers, given the numbers that tests compare with
pairs              what two variables that are compared with each other can be
refutation         showing that no event can do what is asked
renaming           tests and patterns carried over to the terms of another query
satisfiability     whether any event at all can meet a constraint, a core or a query
situations         the ways in which a core can match, one for each alternative, with what they force made
                   explicit
subsumption        subsumption and implication between queries (Chirita et al., definition 3)
text_candidates    strings enough to stand for all strings, given the strings that tests ask for
"""
