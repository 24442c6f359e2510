"""What the parts of a graph pattern look like, and what its operators mean."""

from __future__ import annotations

import re

from triplewire.algebra.constraints import Comparator, TaxonomyRelation
from triplewire.languages.terms import LETTERS, LOCAL_NAME, NAME_REST, PREFIX_NAME

QNAME = re.compile(f"({PREFIX_NAME}?):({LOCAL_NAME}?)")
TURTLE_PREFIX = re.compile(r"@prefix\b")
SPARQL_PREFIX = re.compile(r"prefix(?=[ \t])", re.IGNORECASE)
PREFIX_LABEL = re.compile(f"({PREFIX_NAME}?):")
# `a` is a word of its own, not the beginning of `a:b`.
TYPE = re.compile(f"a(?![{NAME_REST}:.-])")
VARIABLE = re.compile(rf"\?([{LETTERS}_0-9][{NAME_REST}]*)")
BLANK = re.compile(f"_:[{LETTERS}_0-9](?:[{NAME_REST}.-]*[{NAME_REST}-])?")
OPEN = re.compile(r"\(")
CLOSE = re.compile(r"\)")
COMMA = re.compile(r",")
OPERATOR = re.compile(r"<=|>=|[=<>≤≥]")
FULL_STOP = re.compile(r"\.")
LINE_END = re.compile(r"\r\n|\r|\n")

COMPARATORS = {
    "=": Comparator.EQUAL,
    "<": Comparator.LESS,
    "<=": Comparator.AT_MOST,
    "≤": Comparator.AT_MOST,
    ">": Comparator.GREATER,
    ">=": Comparator.AT_LEAST,
    "≥": Comparator.AT_LEAST,
}
# The relation is strict either way, so `<` and `<=` are one.
RELATIONS = {
    Comparator.EQUAL: TaxonomyRelation.DIRECT_OR_SAME,
    Comparator.LESS: TaxonomyRelation.IS_A,
    Comparator.AT_MOST: TaxonomyRelation.IS_A,
    Comparator.GREATER: TaxonomyRelation.ANCESTOR_OF,
    Comparator.AT_LEAST: TaxonomyRelation.ANCESTOR_OF,
}
RELATION_SIGNS = {
    TaxonomyRelation.DIRECT_OR_SAME: "=",
    TaxonomyRelation.IS_A: "<=",
    TaxonomyRelation.ANCESTOR_OF: ">=",
}
