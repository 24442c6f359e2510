"""Syntax tree to SPARQL text.

algebra_syntax  every query of the algebra has a SPARQL form, whatever language it was written in
expressions     expressions as text, with parentheses only where precedence needs them
printer         syntax tree to text, with full IRIs, so that reading the text gives the same tree again
"""
