"""What the paper's examples say, in our words (Chirita et al., sections 2 and 3)."""

from __future__ import annotations

from triplewire.algebra import Advertisement, Interval
from triplewire.network.messages import Description, Publication, StandingQuery
from triplewire.network.routing.advertisements.descriptions import describe
from triplewire.network.routing.subscriptions.standing_queries import standing_query

DC = "http://purl.org/dc/elements/1.1/"
LOM = "http://www.imsproject.org/rdf/imsmd_educationalv1p2#"
_XSD = "http://www.w3.org/2001/XMLSchema#"


def formula(text: str) -> StandingQuery:
    prefixes = f"@prefix dc: <{DC}>\n@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>\n"
    return standing_query("formula", prefixes + text)


def sparql(text: str) -> StandingQuery:
    return standing_query("sparql", f"PREFIX dc: <{DC}> PREFIX lom: <{LOM}> PREFIX ex: <http://example.org/> {text}")


EXAMPLE_1 = formula(
    "X: t(X, <rdf:type>, <dc:article>) ^ t(X, <dc:creator>, Y) ^ t(X, <dc:date>, D) ^ "
    '(Y sqsupseteq "Nejdl" v Y sqsupseteq "Koubarakis") ^ D=2004'
)


def publication(*triples: tuple[str, str], event: str = "urn:event:1", position: int = 1) -> Publication:
    """An event about one resource: properties and objects, in N-Triples."""
    lines = sorted(f"<urn:resource> <{name}> {term} <{event}> .\n" for name, term in triples)
    moment = "2004-05-10T00:00:00+00:00"
    return Publication("SP1", position, event, "C3", moment, None, "".join(lines).encode())


def integer(value: int) -> str:
    return f'"{value}"^^<{_XSD}integer>'


EXAMPLE_2 = publication(
    ("http://www.w3.org/1999/02/22-rdf-syntax-ns#type", f"<{DC}article>"),
    (f"{DC}creator", '"Koubarakis"'),
    (f"{DC}date", integer(2004)),
)

# Table 1: what each super-peer has registered. SP1 is on two levels.
SCHEMAS = Advertisement.schemas([DC, LOM])
VALUES = Advertisement.values(
    {
        f"{DC}creator": ["W. Nejdl", "P. Chirita"],
        f"{DC}title": ["Algorithms", "Data Structures"],
        f"{DC}year": Interval(2002, None),
    }
)
TABLE_1: dict[str, Description] = {
    "SP1": describe([SCHEMAS, VALUES]),
    "SP2": describe([Advertisement.values({f"{DC}year": Interval(1990, 2000)})]),
    "SP6": describe([Advertisement.properties([f"{DC}subject", f"{LOM}context"])]),
    "SP7": describe([Advertisement.properties([f"{DC}language"])]),
}
