"""The syntax of SPARQL 1.1: tokens, terms, the syntax tree, and limits on all of them.

ast           the syntax tree, with prefixes, base and abbreviations resolved
datasets      the syntax tree of a query over several graphs: FROM, FROM NAMED, DESCRIBE
updates       the syntax tree of an update
tokens        text to tokens, by one regular expression
cursor        where the parser is: the tokens, the position, and what was declared so far
terms         IRIs, literals, variables and blank nodes
iris          relative IRIs, resolved as RFC 3986 section 5.2 says
functions     the functions that a query may call: SPARQL 1.1's own, XSD casts, and ours
substitution  terms in place of variables
scope         which variables a pattern makes visible (SPARQL 1.1, section 18.2.1)
limits        how large a query or update may be
regex_cost    how large a regular expression becomes when it is compiled
"""
