"""The functions that a query may call: SPARQL 1.1's own, XSD casts, and ours."""

from __future__ import annotations

from triplewire.algebra.constraints import TaxonomyRelation, TextRelation
from triplewire.rdf.terms import TW, XSD, NamedNode

_ANY = 1_000_000
_NONE, _ONE, _TWO, _THREE = (0, 0), (1, 1), (2, 2), (3, 3)

# Name to the least and the greatest number of arguments.
BUILT_INS: dict[str, tuple[int, int]] = {
    "STR": _ONE,
    "LANG": _ONE,
    "LANGMATCHES": _TWO,
    "DATATYPE": _ONE,
    "BOUND": _ONE,
    "IRI": _ONE,
    "URI": _ONE,
    "BNODE": (0, 1),
    "RAND": _NONE,
    "ABS": _ONE,
    "CEIL": _ONE,
    "FLOOR": _ONE,
    "ROUND": _ONE,
    "CONCAT": (0, _ANY),
    "STRLEN": _ONE,
    "UCASE": _ONE,
    "LCASE": _ONE,
    "ENCODE_FOR_URI": _ONE,
    "CONTAINS": _TWO,
    "STRSTARTS": _TWO,
    "STRENDS": _TWO,
    "STRBEFORE": _TWO,
    "STRAFTER": _TWO,
    "YEAR": _ONE,
    "MONTH": _ONE,
    "DAY": _ONE,
    "HOURS": _ONE,
    "MINUTES": _ONE,
    "SECONDS": _ONE,
    "TIMEZONE": _ONE,
    "TZ": _ONE,
    "NOW": _NONE,
    "UUID": _NONE,
    "STRUUID": _NONE,
    "MD5": _ONE,
    "SHA1": _ONE,
    "SHA256": _ONE,
    "SHA384": _ONE,
    "SHA512": _ONE,
    "COALESCE": (0, _ANY),
    "IF": _THREE,
    "STRLANG": _TWO,
    "STRDT": _TWO,
    "SAMETERM": _TWO,
    "ISIRI": _ONE,
    "ISURI": _ONE,
    "ISBLANK": _ONE,
    "ISLITERAL": _ONE,
    "ISNUMERIC": _ONE,
    "REGEX": (2, 3),
    "REPLACE": (3, 4),
    "SUBSTR": (2, 3),
}

AGGREGATES = frozenset(("COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT"))

REGEX_FUNCTIONS = frozenset(("REGEX", "REPLACE"))

TEXT_FUNCTIONS = {relation.value: relation for relation in TextRelation}

TAXONOMY_FUNCTIONS: dict[NamedNode, TaxonomyRelation] = {TW[r.value]: r for r in TaxonomyRelation}

INTEGER_CAST = XSD["integer"]

CASTS = frozenset(
    XSD[name]
    for name in (
        "boolean",
        "date",
        "dateTime",
        "dayTimeDuration",
        "decimal",
        "double",
        "duration",
        "float",
        "gDay",
        "gMonth",
        "gMonthDay",
        "gYear",
        "gYearMonth",
        "integer",
        "string",
        "time",
        "yearMonthDuration",
    )
)


def arity(function: NamedNode) -> tuple[int, int] | None:
    """How many arguments a function named by IRI takes, or None if nobody here knows it."""
    if function in TAXONOMY_FUNCTIONS:
        return _TWO
    return _ONE if function in CASTS else None
