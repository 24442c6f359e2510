"""Files of rules, updates and schemas, and the options that name them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from triplewire.cli.inputs import Problems
from triplewire.errors import DuplicateRule, InputError
from triplewire.languages.rdftl import read_rules, read_updates
from triplewire.languages.rdftl.syntax import Rule, Update
from triplewire.rdf.formats import format_of_path
from triplewire.rules.name_resolution import resolved, resolved_update
from triplewire.rules.precedence import Precedence
from triplewire.rules.schema import Schema

SchemaPath = Annotated[
    Path, typer.Option("--schema", "-s", metavar="PATH", help="An RDFS schema, in an RDF file of any format.")
]


def read_schema(path: Path) -> Schema:
    """The schema in an RDF file."""
    return Schema.parse(path, format=format_of_path(path).name)


def known_rules(path: Path, schema: Schema, problems: Problems) -> list[Rule]:
    """The rules of a file with their names resolved; each rule that does not fit the schema is a problem."""
    found: list[Rule] = []
    with problems.noted(str(path)):
        for rule in read_rules(path):
            with problems.noted(f"{path}, rule {rule.id}"):
                found.append(resolved(rule, schema))
    with problems.noted(str(path)):
        _check_names(found)
        Precedence(found)
    return found


def known_updates(path: Path, schema: Schema, problems: Problems) -> list[Update]:
    """The updates of a file with their names resolved."""
    found: list[Update] = []
    with problems.noted(str(path)):
        for number, update in enumerate(read_updates(path), start=1):
            with problems.noted(f"{path}, update {number}"):
                found.append(resolved_update(update, schema))
    return found


def strangers(rules: Sequence[Rule]) -> Iterable[str]:
    """A sentence for each rule that precedes one that is not there."""
    known = {rule.id for rule in rules}
    for rule in rules:
        for name in rule.precedes:
            if name not in known:
                yield f"{rule.id} precedes {name}, and there is no rule of that name"


def prefixes_of(rules: Iterable[Rule | Update]) -> dict[str, str]:
    """The namespaces that the rules use, by their names there."""
    return {name: iri for rule in rules for name, iri in rule.namespaces}


def _check_names(rules: Sequence[Rule]) -> None:
    seen: set[str] = set()
    for rule in rules:
        if rule.id in seen:
            raise DuplicateRule(wanted="each rule's name once", found=f"{rule.id!r} again")
        seen.add(rule.id)


def writable(path: Path, suffixes: Sequence[str]) -> Path:
    """The path, if its ending says what to write there."""
    if path.suffix.lower() not in suffixes:
        raise InputError(wanted=f"a name that ends in {' or '.join(suffixes)}", found=repr(path.name), source=str(path))
    return path
