"""Text to algebra and back: each language parses, prints, and never evaluates.

sparql/     SPARQL 1.1 (`.rq`)
formula/    the language L of Chirita et al. (`.formula`)
graph/      G-ToPSS graph patterns (`.graph`)
rdftl/      event-condition-action rules (`.rdftl`): no subscriptions, so they have their own functions
files.py    subscriptions from files, folders, JSON Lines and Parquet

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
