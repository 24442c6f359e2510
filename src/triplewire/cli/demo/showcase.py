"""What the node is filled with: catalogue, subscriptions, views and rules, from files that the package brings."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

from msgspec import Struct

from triplewire.languages.rdftl import format_rule, parse_rules

if TYPE_CHECKING:
    from triplewire.client import Client

_LIBRARY = files("triplewire.cli.demo") / "library"
_LANGUAGES = {"rq": "sparql", "formula": "formula", "graph": "graph"}


class Standing(Struct, frozen=True):
    """A subscription or a view."""

    name: str
    language: str
    text: str


def subscriptions() -> list[Standing]:
    """What papers are compared with, one in each language.

    >>> [(one.name, one.language) for one in subscriptions()]
    [('early-proofs', 'graph'), ('noether', 'formula'), ('semantic-web', 'sparql')]
    """
    return list(_standing(_LIBRARY / "subscriptions"))


def views() -> list[Standing]:
    """What is asked of the catalogue, all the time."""
    return list(_standing(_LIBRARY / "views"))


def fill(client: Client) -> None:
    """Give a node the catalogue as it was at the beginning, and everything that stands over it."""
    client.put_graph(None, (_LIBRARY / "catalogue.ttl").read_text("utf-8"), "turtle")
    for one in subscriptions():
        client.put_subscription(one.text, name=one.name, language=one.language)
    for one in views():
        client.put_view(one.name, one.text)
    for rule in parse_rules((_LIBRARY / "rules.rdftl").read_text("utf-8")):
        client.put_rule(rule.id, format_rule(rule))


def _standing(folder: Traversable) -> Iterator[Standing]:
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        name, _, suffix = file.name.partition(".")
        yield Standing(name, _LANGUAGES[suffix], file.read_text("utf-8"))
