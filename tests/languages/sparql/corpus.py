"""The words in which the text fixtures of the SPARQL front end are written."""

from __future__ import annotations

import re

from triplewire.algebra.queries import Ask, FastQuery, Query, cores_of
from triplewire.languages.sparql import SparqlLanguage

PROLOGUE = (
    "PREFIX : <urn:> PREFIX tw: <urn:triplewire:> "
    "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>\n"
)


def with_prologue(query: str) -> str:
    return PROLOGUE + query


def described(query: Query) -> list[str]:
    """A query as the fixture `lanes.txt` writes it: its lane, then each core it requires, or `never`."""
    lane = "fast" if isinstance(query, FastQuery) else "general"
    cores = [shortened(SparqlLanguage().print(FastQuery(Ask(), core))) for core in cores_of(query)]
    return [lane, *(core.removeprefix("ASK ") for core in cores or ["never"])]


def shortened(text: str) -> str:
    """Printed text as a fixture writes it, with prefixes."""
    text = re.sub(r'"(\d+)"\^\^<http://www.w3.org/2001/XMLSchema#integer>', r"\1", text)
    text = re.sub(r"<http://www.w3.org/2001/XMLSchema#(\w+)>", r"xsd:\1", text)
    text = re.sub(r"<http://www.w3.org/1999/02/22-rdf-syntax-ns#(\w+)>", r"rdf:\1", text)
    return re.sub(r"<urn:(?:(triplewire):)?(\w+)>", lambda m: f"{'tw' if m[1] else ''}:{m[2]}", text)
