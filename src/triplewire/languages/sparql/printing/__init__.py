"""Syntax tree to SPARQL text.

printer         queries, groups and paths, with full IRIs, so that reading the text gives the same tree again
updates         updates, in the same manner
expressions     expressions, with parentheses only where precedence needs them
algebra_syntax  fast queries back to syntax, whatever language they were written in
"""
