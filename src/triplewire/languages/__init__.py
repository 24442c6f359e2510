"""Text to algebra and back: each language parses, prints, and never evaluates.

    bulk     JSON Lines or Parquet, with `id`, `language`, `text` and perhaps `owner`
    entries  a subscription as text with the place where it stands, and what remains of it when it cannot be read
    files    subscriptions from files and folders
    formula  the language L of Chirita et al.: one resource, its properties, and a constraint on their values
    graph    one edge a line, with constraints on its nodes
    rdftl    event-condition-action rules on RDF (Papamarkos et al., section 2.1)
    scanner  reading a small language by asking for what may come next
    sparql   SPARQL 1.1, read and printed by hand
    terms    IRIs and literals as the formula and graph languages write them, and back

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
