"""Inquiries: what one super-peer asks the others, to tell people. Nothing is decided by the answers.

answers    what an answer may contain: limits, and what of a text is told to others
asker      asks and answers: who is waited for, who is asked next, when it is over
messages   questions and answers
questions  those of ours that are out, and what has been said so far
relevance  whom a rule concerns here, as our own group sees it and as others do
traces     the units of a transaction here, what has come of what was sent here, and where it goes on

A question about a rule is broadcast over the cube, N - 1 messages, and everybody answers the asker directly, N - 1
more. Passed on from neighbour to neighbour, as growth is, it would be as many, but whoever does not answer would take
along those behind it, and could answer for them. A question about a transaction goes to those that it was sent to.
"""
