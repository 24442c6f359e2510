"""Small good inputs that the command line's tests share."""

from __future__ import annotations

DC = "http://purl.org/dc/elements/1.1/"

EVENT = f"""\
<urn:esws04> <{DC}creator> "Koubarakis" <urn:event:1> .
<urn:esws04> <{DC}date> "2004"^^<http://www.w3.org/2001/XMLSchema#integer> <urn:event:1> .
"""

QUERY = f"""\
PREFIX dc: <{DC}>
SELECT ?paper ?year WHERE {{ ?paper dc:creator "Koubarakis" ; dc:date ?year FILTER(?year > 2000) }}
"""

FORMULA = f"""\
@prefix dc: <{DC}>
X : t(X, <dc:creator>, Y) and t(X, <dc:date>, D) and Y contains "Koubarakis" and D = 2004
"""
