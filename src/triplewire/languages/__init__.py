"""Text to algebra and back: each language parses, prints, and never evaluates.

    sparql   SPARQL 1.1 (`.rq`)
    formula  the language L of Chirita et al. (`.formula`)
    graph    G-ToPSS graph patterns (`.graph`)
    rdftl    event-condition-action rules (`.rdftl`): no subscriptions, so they have their own functions
    scanner  reads a small language by asking for what may come next
    terms    IRIs and literals as the formula and graph languages write them, and back
    trees    trees of frozen Structs and tuples, whatever the language: visit all of one, or rebuild it
    files    subscriptions from files and folders
    bulk     many subscriptions in one file: JSON Lines or Parquet
    entries  a subscription as text with its place, and what remains of it when it cannot be read

Importing this package makes the languages known to `Subscription.parse`.
"""

from __future__ import annotations

from triplewire.algebra.subscriptions import register_language
from triplewire.languages.formula import FormulaLanguage
from triplewire.languages.graph import GraphLanguage
from triplewire.languages.sparql import SparqlLanguage

register_language(SparqlLanguage())
register_language(FormulaLanguage())
register_language(GraphLanguage())
