"""The text fixtures of the SPARQL front end, as cases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from triplewire.algebra.queries import Ask, FastQuery, Query, cores_of
from triplewire.languages.sparql import SparqlLanguage

FOLDER = Path(__file__).parents[2] / "fixtures" / "sparql"
PROLOGUE = (
    "PREFIX : <urn:> PREFIX tw: <urn:triplewire:> "
    "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>\n"
)


def lines(name: str) -> list[str]:
    """The lines of a fixture that are no comment."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


def queries(name: str) -> list[str]:
    """One query a line."""
    return [line for line in lines(name) if line]


def pairs(name: str) -> list[tuple[str, str]]:
    """A query, and below it what is said of it."""
    found = queries(name)
    return list(zip(found[::2], found[1::2], strict=True))


def cases(name: str) -> list[list[str]]:
    """Cases of several lines, a blank line between them."""
    return list(_blocks(lines(name)))


def _blocks(found: list[str]) -> Iterator[list[str]]:
    block: list[str] = []
    for line in [*found, ""]:
        if line:
            block.append(line)
        elif block:
            yield block
            block = []


def with_prologue(query: str) -> str:
    return PROLOGUE + query


def described(query: Query) -> list[str]:
    """A query as the fixture `lanes.txt` writes it: its lane, then each core it requires, or `never`."""
    lane = "fast" if isinstance(query, FastQuery) else "general"
    cores = [_shortened(SparqlLanguage().print(FastQuery(Ask(), core))) for core in cores_of(query)]
    return [lane, *(core.removeprefix("ASK ") for core in cores or ["never"])]


def _shortened(text: str) -> str:
    text = re.sub(r'"(\d+)"\^\^<http://www.w3.org/2001/XMLSchema#integer>', r"\1", text)
    text = re.sub(r"<http://www.w3.org/2001/XMLSchema#(\w+)>", r"xsd:\1", text)
    text = re.sub(r"<http://www.w3.org/1999/02/22-rdf-syntax-ns#(\w+)>", r"rdf:\1", text)
    return re.sub(r"<urn:(?:(triplewire):)?(\w+)>", lambda m: f"{'tw' if m[1] else ''}:{m[2]}", text)
