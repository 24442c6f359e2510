"""The small world that generated cases live in: few names, so that things meet.

Literals come in families that look alike and are not: one value in several forms, one form under several types, with
and without a language or a time zone, and some that their type does not allow.
"""

from __future__ import annotations

from triplewire.rdf.terms import RDF, XSD, BlankNode, Literal, Namespace

EX = Namespace("http://example.org/")

RESOURCES = tuple(EX[name] for name in "abcd")
PREDICATES = tuple(EX[name] for name in "pqr")
CLASSES = tuple(EX[f"C{number}"] for number in range(6))
PROPERTIES = tuple(EX[f"P{number}"] for number in range(3))
BLANK_NODES = (BlankNode("n0"), BlankNode("n1"))
TYPE = RDF["type"]
EVENT_NAMES = (EX["event1"], EX["event2"])


def _typed(datatype: str, *forms: str) -> tuple[Literal, ...]:
    return tuple(Literal(form, datatype=XSD[datatype]) for form in forms)


CANONICAL_LITERALS: tuple[Literal, ...] = (
    *_typed("integer", "1", "2", "3", "10", "-5", "2004"),
    *_typed("decimal", "1", "1.5", "2.25"),
    *_typed("double", "1", "1.5", "NaN", "INF"),
    *_typed("float", "1"),
    *_typed("boolean", "true", "false"),
    *_typed("date", "2004-01-01", "2004-01-01Z", "2005-06-30"),
    *_typed("dateTime", "2004-01-01T00:00:00", "2004-01-01T00:00:00Z", "2004-01-01T12:00:00+02:00"),
    Literal(""),
    Literal("1"),
    Literal("W. Nejdl"),
    Literal("Nejdl"),
    Literal('naïve "quoted"\n𝄞'),
    Literal("Nejdl", language="de"),
    Literal("Nejdl", language="en"),
    Literal("W. Nejdl", language="en-gb"),
    Literal("abc", datatype=EX["datatype"]),
)
ILL_TYPED_LITERALS: tuple[Literal, ...] = (
    *_typed("integer", "abc", "1.5", ""),
    *_typed("boolean", "maybe"),
    *_typed("date", "2004-13-01"),
)
ODD_LITERALS: tuple[Literal, ...] = (
    *_typed("integer", "01", "+1", "-0", "0010"),
    *_typed("int", "1", "01", "2"),
    *_typed("byte", "1", "300"),
    *_typed("unsignedLong", "10"),
    *_typed("decimal", "1.0", "1.50", "+2.25"),
    *_typed("double", "1.0E0", "1e0", "15e-1"),
    *_typed("boolean", "1", "0"),
    *_typed("date", "2004-01-01+00:00"),
    *_typed("dateTime", "2004-01-01T00:00:00.000", "2004-01-01T24:00:00Z"),
)
SUBSTRINGS = ("Nejdl", "W.", "ej", "l", "", "x", '"')
